"""Fields of answers, their meaning and types: docs/json.md and the dashboard's OpenAPI are made from them.

A field says what it means where it is declared, as ``Annotated[int, "what it means"]``, unless `COMMON` says it of its
name. Where the meaning says the words of a `Literal`, a third part is the type to show in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from aicx.fields import shown_properties

COMMON: Mapping[str, str] = {
    "agent": "the agent whose log it is, as `-a` names it",
    "altered": "whether the chunk was altered on disk after it was stored, so that it may differ from the log",
    "at": "when",
    "automated": "whether a program ran the session (`claude -p`, an SDK, `codex exec`, a hook)",
    "automated_why": "the evidence for that, in a few words; or null",
    "branch": "git branch",
    "chunk_title": "title of the chunk",
    "chunks": "number of chunks",
    "completed_at": "time of the last message",
    "cwd": "working folder",
    "date": "day",
    "decay": "the decay used",
    "dry_run": "whether nothing was changed",
    "evidence": "`strong`: one of the items has the question's words together in one passage; `weak`: they have only"
    " some, or apart; `none`: nothing matches that tells anything",
    "fallback_reason": "why another way to the answer was taken than the usual one, or null",
    "files_indexed": "files in the map",
    "generated_at": "time",
    "id": "the chunk's id",
    "index_available": "whether there is a map",
    "kind": "`conversations`, `plans`, `reports` or `other`",
    "label": "`HIGH` for a score from 8, `MEDIUM` from 5, `LOW` from 3, else `NOISE`; `EMPTY` without lines",
    "lane": "`primary` (the agent) or `subagent`",
    "last_refresh_at": "when it was",
    "last_refresh_status": "how the last refresh went",
    "matched": "number of items without the limit",
    "messages": "number of messages",
    "number": "its number in the session",
    "next": "id of the chunk after it in the session",
    "notes": "remarks, such as how a filter was understood, or what could not be looked at",
    "offset": "number of items skipped before the first",
    "oracle_status": "how the answer came about",
    "parent_session": "the session that started this subagent",
    "path": "the chunk's absolute path",
    "previous": "id of the chunk before it in the session",
    "problems": "what could not be read",
    "project": "the repository it is filed under",
    "provider_available": "whether files can be read, for which the optional part is needed",
    "query": "the question",
    "query_available": "whether questions can be answered",
    "reasons": "in a few words",
    "ref": "the `id` as short as `aicx show` takes it, such as `019f1fc3:017`",
    "refresh_available": "whether it can be brought up to date",
    "refs": "references that prove it, which `aicx show` opens",
    "reopen": "the agent's own command that opens the session again, or null",
    "results": "number of `items`",
    "root": "the repository's folder",
    "run_ids": "the ids of these sessions where there are several",
    "runs": "number of sessions it speaks for: of those that a program began with one prompt, the newest (in `search`"
    " and `rank` the best) is listed for all, unless `--automated` is given",
    "seconds": "seconds it took",
    "session_id": "the session's id",
    "sessions": "number of sessions",
    "skipped": "reason → what was left out on purpose, counted",
    "sources": "its logs, as in [sidecars](on-disk-format.md), with `is_there`; with `--verify` also `state`",
    "started_at": "time of the first message",
    "symbols_indexed": "symbols in the map",
    "tokens": "estimated number of tokens",
    "title": "title of the session",
    "with_syntax_errors": "files that were read in part",
}


class Described(NamedTuple):
    """A field as JSON has it. ``name`` is empty for one in whose place the fields of another class are."""

    name: str
    type: Any
    meaning: str
    optional: bool  # left out where there is nothing to say


def described(answer: type[Any]) -> Iterator[Described]:
    """The fields of an answer in their order, those of an inlined class in its place."""
    from aicx.engine.search_answer import SearchStatus

    hints = get_type_hints(answer, localns={"SearchStatus": SearchStatus}, include_extras=True)
    for one in fields(answer):
        hint, meaning = _told(hints[one.name], COMMON.get(one.name, ""))
        inlined = list(parts(hint)) if "inline" in one.metadata else []
        # The keys of a mapping are no class's fields.
        if len(inlined) == 1 and (is_dataclass(hint) or get_origin(hint) in (Union, UnionType)):
            yield from described(inlined[0])
        elif "internal" not in one.metadata:
            yield Described("" if inlined else one.name, hint, meaning, "optional" in one.metadata)
    for name, made in shown_properties(answer).items():  # type: ignore[arg-type]
        yield Described(name, *_told(get_type_hints(made, include_extras=True)["return"]), optional=False)


def _told(hint: Any, meaning: str = "") -> tuple[Any, str]:
    """The type of a field as it is shown, and what the field means."""
    if get_origin(hint) is not Annotated:
        return hint, meaning
    kind, meaning, *shown = get_args(hint)
    return (shown[0] if shown else kind), meaning


def parts(kind: Any) -> Iterator[type[Any]]:
    """The classes with fields of their own that a type is made of."""
    if is_dataclass(kind):
        yield kind  # type: ignore[misc]
    for argument in get_args(kind):
        yield from parts(argument)


def reachable(*answers: type[Any]) -> dict[type[Any], list[Described]]:
    """The answers and every class in them, each with its fields, in the order in which they are met."""
    found: dict[type[Any], list[Described]] = {}
    waiting = list(answers)
    while waiting:
        kind = waiting.pop(0)
        if kind not in found:
            found[kind] = list(described(kind))
            waiting[:0] = [part for one in found[kind] for part in parts(one.type)]
    return found
