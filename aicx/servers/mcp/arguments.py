"""The arguments of each tool: a frozen dataclass per tool, from which its JSON schema and its checks are made."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from aicx.engine.search import MAX_RERANKED, RERANKED
from aicx.servers.filters import PARAMETERS, Name, Names
from aicx.values import dataclass

# What `aicx_read` gives of a chunk at once; with what stands around it, it has to fit into a reply.
_MIN_CHARS, _MAX_CHARS = 200, 50_000
_MAX_COMPLAINTS = 5

Mode = Literal["auto", "lexical", "dense", "hybrid", "scan"]

_STRICT = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolArguments:
    """What every tool may be given."""

    __pydantic_config__ = _STRICT

    # Off by default: clients that get fields hand their model those in place of the text, without fences and longer.
    structured: Annotated[bool, Field(description="Answer with JSON fields too; for programs, not for reading.")] = (
        False
    )


def filtered(kind: type) -> type:
    """``kind`` with the filters as parameters, before it is made a dataclass."""
    kind.__annotations__ = {**PARAMETERS, **kind.__annotations__}
    for name in PARAMETERS:
        setattr(kind, name, None)
    return kind


Repo = Annotated[
    Name | None, Field(description="Absolute path of a folder in the repository; else the folder the server runs in.")
]
Everywhere = Annotated[bool, Field(description="Prefer no repository, and ask none for the commits that are named.")]


@dataclass(frozen=True, slots=True, kw_only=True)
@filtered
class SearchArguments(ToolArguments):
    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=10_000,
            description="A question in plain words, an identifier, a path, an error code, or a quoted phrase.",
        ),
    ]
    limit: Annotated[int, Field(ge=1, le=50, description="The most answers to return.")] = 10
    group: Annotated[Literal["chunk", "session"], Field(description="An answer a chunk, or one a session.")] = "chunk"
    mode: Annotated[
        Mode, Field(description="auto uses what exists and says so; scan reads everything and is slow.")
    ] = "auto"
    sort: Annotated[Literal["relevance", "newest", "oldest"], Field(description="The order of the answers.")] = (
        "relevance"
    )
    decay: Annotated[Literal["off", "gentle", "strong"], Field(description="How much to prefer what is recent.")] = (
        "off"
    )
    min_score: Annotated[
        float, Field(ge=0, le=10, description="Only chunks of this density or more, from 0 to 10, as in aicx_rank.")
    ] = 0
    repo: Repo = None
    everywhere: Everywhere = False
    rerank: Annotated[
        int, Field(ge=0, le=MAX_RERANKED, description="Best answers to compare token by token; 0 for none.")
    ] = RERANKED


@dataclass(frozen=True, slots=True, kw_only=True)
@filtered
class SteerArguments(ToolArguments):
    query: Annotated[
        str | None,
        Field(max_length=10_000, description="What the chunks are about, in plain words; without it, newest first."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="The most chunks to return.")] = 20
    decay: Annotated[
        Literal["off", "gentle", "strong"], Field(description="With a query, how much to prefer what is recent.")
    ] = "gentle"
    repo: Repo = None
    everywhere: Everywhere = False


@dataclass(frozen=True, slots=True, kw_only=True)
@filtered
class SessionsArguments(ToolArguments):
    by: Annotated[Literal["session", "project"], Field(description="List sessions, or projects with their sizes.")] = (
        "session"
    )
    sort: Annotated[
        Literal["newest", "oldest", "size"], Field(description="The order of sessions; size is the number of chunks.")
    ] = "newest"
    limit: Annotated[int, Field(ge=1, le=100, description="The most to return.")] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000_000, description="How many to skip.")] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankArguments(ToolArguments):
    project: Annotated[Name, Field(description="Repository (owner/repo, repo) or working folder.")]
    hours: Annotated[float, Field(ge=0, le=10_000_000, description="Only the last N hours; 0 is all.")] = 72
    strict: Annotated[bool, Field(description="Only chunks that score 5 and more.")] = False
    top: Annotated[int, Field(ge=1, le=100, description="The most to return.")] = 10
    agent: Annotated[Names | None, PARAMETERS["agent"].__metadata__[0]] = None
    automated: Annotated[bool, PARAMETERS["automated"].__metadata__[0]] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeArguments(ToolArguments):
    repo: Repo = None
    project: Annotated[
        Names | None,
        Field(description="Repositories by name (owner/repo); sessions of all count, the first names the brief."),
    ] = None
    task: Annotated[str, Field(max_length=10_000, description="What is to be done; without it: where was I?")] = ""
    mode: Annotated[Mode, Field(description="How history is searched.")] = "auto"
    decay: Annotated[Literal["off", "gentle", "strong"], Field(description="How much to prefer what is recent.")] = (
        "gentle"
    )
    since: Annotated[
        Name | None, Field(description="Only sessions since then: 2026-01-31, yesterday, 36h, 7d, 2w.")
    ] = None
    exclude_session: Annotated[Names | None, PARAMETERS["exclude_session"].__metadata__[0]] = None
    budget: Annotated[int, Field(ge=500, le=9_000, description="The most tokens the answer may have.")] = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyArguments(ToolArguments):
    target: Annotated[
        Name,
        Field(
            description="A commit, FILE, FILE:LINE, FILE:10-30, a tag, a range A..B, or #12 (pull request or issue)."
        ),
    ]
    repo: Repo = None
    limit: Annotated[int, Field(ge=1, le=10, description="The most sessions to return.")] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallArguments(ToolArguments):
    query: Annotated[
        str, Field(min_length=1, max_length=10_000, description="What is to be done or asked, in plain words.")
    ]
    repo: Repo = None
    limit: Annotated[int, Field(ge=1, le=50, description="The most statements to return.")] = 8
    with_evidence: Annotated[
        bool, Field(description="Passages of past sessions too; they are evidence, and nobody agreed to them.")
    ] = False
    decay: Annotated[
        Literal["off", "gentle", "strong"], Field(description="How much to prefer what was confirmed lately.")
    ] = "gentle"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeArguments(ToolArguments):
    statement: Annotated[
        str, Field(min_length=1, max_length=300, description="One sentence that is worth believing next time.")
    ]
    kind: Annotated[
        Literal["policy", "procedure", "fact", "decision", "preference", "failure", "reference", "example", "note"],
        Field(description="What it is: a rule, steps that work, a fact, a decision with its reason, and so on."),
    ] = "note"
    topic: Annotated[str, Field(min_length=1, max_length=80, description="What it is about, in a word or two.")] = (
        "general"
    )
    details: Annotated[
        list[Annotated[str, Field(max_length=1000)]] | None, Field(max_length=10, description="Further lines.")
    ] = None
    evidence: Annotated[
        Names | None, Field(description="Ids of chunks or sessions that show it, as the other tools give them.")
    ] = None
    lane: Annotated[
        Literal["primary", "subagent"], Field(description="subagent if another agent gave you the task.")
    ] = "primary"
    repo: Repo = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArguments(ToolArguments):
    ref: Annotated[
        Name,
        Field(
            description="A chunk's id or path as the other tools give it, a session's id or its beginning (its chunks "
            "are listed), file:PATH (chunks that touched a file), commit:HASH (chunks that began at or name one), "
            "mem:ID (a record of the memory), live:AGENT:PATH (what an instruction file says), or work:ID (a task or a "
            "handoff)."
        ),
    ]
    max_chars: Annotated[
        int, Field(ge=_MIN_CHARS, le=_MAX_CHARS, description="The most characters to return of a chunk.")
    ] = 20_000
    offset: Annotated[
        int,
        Field(
            ge=0,
            le=1_000_000_000,
            description="The character, or of a list the chunk, to go on from; a cut reply names it.",
        ),
    ] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatusArguments(ToolArguments):
    pass


class InvalidArguments(Exception):
    """Arguments that do not fit a tool; the message says which and why, and holds none of their values."""


def parse(kind: type, given: Mapping[str, Any]) -> Any:
    """The arguments as a value of ``kind``; null stands for an argument that is not given. Raises InvalidArguments."""
    try:
        # As JSON, which is what they were: only so does pydantic take a mapping for a dataclass and still no "5" for 5.
        body = orjson.dumps({name: _whole(value) for name, value in given.items() if value is not None})
        return _adapter(kind).validate_json(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise InvalidArguments("; ".join(_complaint(kind, one) for one in found[:_MAX_COMPLAINTS])) from None
    except orjson.JSONEncodeError:
        raise InvalidArguments("text that is not valid Unicode, or a number beyond 64 bits") from None


@cache
def schema(kind: type) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, in the plain form that every client understands."""
    made = _adapter(kind).json_schema()
    properties = {name: _plain(field) for name, field in made.get("properties", {}).items()}
    required = {"required": made["required"]} if "required" in made else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


@cache
def _adapter(kind: type) -> Any:
    return TypeAdapter(kind)


def _whole(value: Any) -> Any:
    """5 for 5.0, which is an integer in JSON Schema."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema without what pydantic adds for "may be null", which nobody has to send."""
    choices = field.get("anyOf", [])
    value: dict[str, Any] = next((choice for choice in choices if choice.get("type") != "null"), {})
    left_out = {"anyOf", "title"} | ({"default"} if field.get("default", ...) is None else set())
    return {**value, **{name: said for name, said in field.items() if name not in left_out}}


def _complaint(kind: type, found: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in found["loc"][:1])
    if found["type"] == "unexpected_keyword_argument":
        known = ", ".join(_adapter(kind).json_schema().get("properties", {})) or "none"
        return f"unknown parameter {name[:60]!r}; known: {known}"
    return f"{name}: {found['msg']}"
