"""The arguments of each tool: a model per tool, from which its definition, its help and its checks are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal

import orjson
from pydantic import ConfigDict, Field, ValidationError

from aicx.filters import NAMES
from aicx.servers.questions import (
    ABOUT,
    PARAMETERS,
    QUESTION,
    TARGET,
    Asked,
    DecayProfile,
    FilteredQuestion,
    Mode,
    Name,
    Names,
    SearchQuestion,
    SessionsQuestion,
    SteerQuestion,
    Team,
    at_most,
)

# What `aicx_read` gives of a chunk at once; with what stands around it, it has to fit into a reply.
_MIN_CHARS, _MAX_CHARS = 200, 50_000
_MAX_COMPLAINTS = 5

# The parameter that holds the filters, and the key in it that asks which there are.
FILTERS_IN, HELP = "filters", "help"
# Taken, and explained by a tool's help, but left out of its definition, which an agent pays for with every request.
_RARE = frozenset(
    {
        "structured",
        "mode",
        "sort",
        "decay",
        "min_score",
        "rerank",
        "everywhere",
        "team",
        "group",
        "strict",
        "agent",
        "automated",
    }
    | {"exclude_session", "since", "with_evidence", "max_chars", HELP}
)
# Of the filters, those that a definition names; the others are as good, and listed by its help.
_USUAL = ("project", "since", "file")
# The bound of a parameter that needs none but for its size.
_ENDLESS = 1_000_000_000
# What a definition leaves out of a parameter's schema: checks whose message says enough when they fail.
_UNSAID = frozenset({"title", "minimum", "minLength", "maxLength", "maxItems", "anyOf", "additionalProperties"})


class ToolArguments(Asked):
    """The arguments that every tool may be given."""

    model_config = ConfigDict(strict=True)

    # Off by default: clients that get fields hand their model those in place of the text, without fences and longer.
    structured: Annotated[bool, Field(description="Answer with JSON fields too; for programs, not for reading.")] = (
        False
    )
    help: Annotated[bool, Field(description="List what this tool takes, instead of an answer.")] = False


Repo = Annotated[Name | None, Field(description="The repository's absolute path; else the server's.")]
Everywhere = Annotated[bool, Field(description="Prefer no repository, and ask none for the commits that are named.")]


class SearchArguments(SearchQuestion, ToolArguments):
    query: Annotated[str, QUESTION]
    limit: Annotated[int, at_most(50, "answers")] = 5
    group: Annotated[
        Literal["chunk", "session"] | None,
        Field(
            description="chunk: an answer a chunk; session: sessions ranked by all their chunks. Without it, chunks"
            " are ranked, and further ones of a session are named under its best; with structured, as chunk."
        ),
    ] = None
    repo: Repo = None
    everywhere: Everywhere = False


class SteerArguments(SteerQuestion, ToolArguments):
    query: Annotated[str | None, ABOUT] = None
    repo: Repo = None
    everywhere: Everywhere = False


class SessionsArguments(SessionsQuestion, ToolArguments):
    by: Annotated[Literal["session", "project"], Field(description="List sessions, or projects with their sizes.")] = (
        "session"
    )
    limit: Annotated[int, at_most(100, "rows")] = 20


class RankArguments(ToolArguments):
    project: Annotated[Name, Field(description="Repository (owner/repo, repo) or working folder.")]
    hours: Annotated[float, Field(ge=0, le=10_000_000, description="Only the last N hours; 0 is all.")] = 72
    top: Annotated[int, at_most(100, "chunks")] = 10
    strict: Annotated[bool, Field(description="Only chunks that score 5 and more.")] = False
    agent: Annotated[Names | None, PARAMETERS["agent"].__metadata__[0]] = None
    automated: Annotated[bool, PARAMETERS["automated"].__metadata__[0]] = False


class ResumeArguments(ToolArguments):
    task: Annotated[str, Field(max_length=10_000, description="What is to be done; without it: where was I?")] = ""
    repo: Repo = None
    project: Annotated[
        Names | None, Field(description="Repositories by name (owner/repo); the first names the brief.")
    ] = None
    mode: Mode = "auto"
    decay: DecayProfile = "gentle"
    since: Annotated[
        Name | None, Field(description="Only sessions since then: 2026-01-31, yesterday, 36h, 7d, 2w.")
    ] = None
    exclude_session: Annotated[Names | None, PARAMETERS["exclude_session"].__metadata__[0]] = None
    team: Team = False
    budget: Annotated[int, Field(ge=500, le=9_000, description="The most tokens the answer may have.")] = 2_000


class WhyArguments(ToolArguments):
    target: Annotated[Name, Field(description=f"{TARGET}.")]
    repo: Repo = None
    limit: Annotated[int, at_most(10, "sessions")] = 5
    team: Team = False


class RecallArguments(ToolArguments):
    query: Annotated[
        str, Field(min_length=1, max_length=10_000, description="What is to be done or asked, in plain words.")
    ]
    repo: Repo = None
    limit: Annotated[int, at_most(50, "statements")] = 8
    with_evidence: Annotated[
        bool, Field(description="Passages of past sessions too; they are evidence, and nobody agreed to them.")
    ] = False
    decay: DecayProfile = "gentle"


class ProposeArguments(ToolArguments):
    statement: Annotated[
        str, Field(min_length=1, max_length=300, description="One sentence that is worth believing next time.")
    ]
    kind: Annotated[
        Literal["policy", "procedure", "fact", "decision", "preference", "failure", "reference", "example", "note"],
        Field(description="What kind of statement it is."),
    ] = "note"
    topic: Annotated[str, Field(min_length=1, max_length=80, description="Its subject, in a word or two.")] = "general"
    details: Annotated[
        list[Annotated[str, Field(max_length=1000)]] | None, Field(max_length=10, description="Further lines.")
    ] = None
    evidence: Annotated[
        Names | None, Field(description="Chunks or sessions that show it, as the other tools name them.")
    ] = None
    lane: Annotated[
        Literal["primary", "subagent"], Field(description="subagent if another agent gave you the task.")
    ] = "primary"
    repo: Repo = None


class ReadArguments(ToolArguments):
    ref: Annotated[
        Name,
        Field(
            description="Whatever a tool names, such as a chunk, a session, mem:ID, work:ID, failure:ID, sha256:DIGEST;"
            " file:PATH or commit:HASH lists the chunks that touched or name it."
        ),
    ]
    offset: Annotated[int, Field(ge=0, le=_ENDLESS, description="Where to go on; a cut reply names it.")] = 0
    max_chars: Annotated[
        int, Field(ge=_MIN_CHARS, le=_MAX_CHARS, description="The most characters to return of a chunk.")
    ] = 20_000


class IndexStatusArguments(ToolArguments):
    pass


class InvalidArguments(Exception):
    """Arguments that do not fit a tool; the message says which and why, and holds none of their values."""


def parse(kind: type, given: Mapping[str, Any]) -> Any:
    """The arguments as a value of ``kind``; null stands for an argument that is not given. Raises InvalidArguments.

    Filters are taken from the object ``filters``, and from beside it, where they were before there was one.
    """
    try:
        # As JSON, which is what they were: strictness then still takes a text for a path and no "5" for 5.
        body = orjson.dumps({name: _whole(value) for name, value in _flat(kind, given) if value is not None})
        return kind.model_validate_json(body)  # type: ignore[attr-defined]
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise InvalidArguments("; ".join(_complaint(kind, one) for one in found[:_MAX_COMPLAINTS])) from None
    except orjson.JSONEncodeError:
        raise InvalidArguments("text that is not valid Unicode, or a number beyond 64 bits") from None


def asks_for_help(kind: type, given: Mapping[str, Any]) -> bool:
    """Tells whether ``{"help": true}`` is given, as an argument or as a filter."""
    inside = _object(given.get(FILTERS_IN)) if issubclass(kind, FilteredQuestion) else None
    return given.get(HELP) is True or (inside or {}).get(HELP) is True


def parameters(kind: type) -> dict[str, dict[str, Any]]:
    """The schema of every parameter that a tool takes, the filters last."""
    properties = _properties(kind)
    return {name: properties[name] for name in sorted(properties, key=lambda name: name in NAMES)}


@cache
def schema(kind: type) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, as short as it can be and in the plain form that every client understands.

    Filters are one object, rare parameters are left out; `parse` takes both flat.
    """
    filtered = issubclass(kind, FilteredQuestion)
    hidden = _RARE.union(NAMES) if filtered else _RARE
    said = {name: _short(field) for name, field in _properties(kind).items() if name not in hidden}
    if filtered:
        said[FILTERS_IN] = {
            "type": "object",
            "description": 'Which chunks: project (owner/repo), since (2026-01-31, 7d) and so on; {"help": true} lists'
            " all filters and options.",
            "properties": {name: {"type": "string"} for name in _USUAL},
        }
    required = {"required": made} if (made := kind.model_json_schema().get("required")) else {}  # type: ignore[attr-defined]
    return {"type": "object", "properties": said, **required}


def _short(field: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter's schema without checks and defaults that need not be known beforehand."""
    said = {
        key: value for key, value in field.items() if key not in _UNSAID and value not in (False, "", None, _ENDLESS)
    }
    return said | ({"items": _short(said["items"])} if "items" in said else {})


@cache
def _properties(kind: type) -> dict[str, dict[str, Any]]:
    made = kind.model_json_schema().get("properties", {})  # type: ignore[attr-defined]
    return {name: _plain(field) for name, field in made.items()}


def _flat(kind: type, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arguments with the filters among them. Raises InvalidArguments for filters that are none, or given twice."""
    for name, value in given.items():
        if name != FILTERS_IN or value is None or not issubclass(kind, FilteredQuestion):
            yield name, value
            continue
        inside = _object(value)
        if inside is None:
            raise InvalidArguments(f'{FILTERS_IN}: give an object, such as {{"project": "orbit", "since": "7d"}}')
        for one, wanted in inside.items():
            if one not in NAMES:
                raise InvalidArguments(
                    f'unknown filter {one[:60]!r}; known: {", ".join(NAMES)}; {{"help": true}} explains'
                )
            if given.get(one) is not None and given[one] != wanted:
                raise InvalidArguments(f"{one}: given twice, among the filters and beside them")
            yield one, wanted


def _object(value: Any) -> Mapping[str, Any] | None:
    """An object, which some models write as a text that holds JSON; None for anything else."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    return value if isinstance(value, Mapping) else None


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
    if found["type"] == "extra_forbidden":
        return f"unknown parameter {name[:60]!r}; known: {', '.join(parameters(kind))}"
    return f"{name}: {found['msg']}"
