"""The replies of tools: recalled text as a quotation with its origin, and how strong its evidence is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import orjson

from aicx.brief import QUOTED_BRIEFLY, fenced, first_that_fit
from aicx.memory.recall.asking import SUFFICIENT
from aicx.terminal import invisible
from aicx.values import dataclass

Grade = Literal["strong", "weak", "none", "recorded"]

_MAX_MISSING = 8
_OF_CONFIDENCE: Mapping[str, Grade] = {"high": "strong", "medium": "weak", "low": "none"}
_FOUND: Mapping[str, str] = {
    "strong": "one answer has the question's words together",
    "weak": "the answers have only some of the question's words, or apart",
    "none": "nothing matches",
}
LISTED = "listed by what the logs record; no question was compared"


def strength(grade: Grade, because: str) -> str:
    return f"Evidence: {grade}; {because}."


def of_passages(grade: Grade, missing: Sequence[str] = ()) -> str:
    """The line for answers to a question; ``missing`` are its words that occur nowhere."""
    named = f"; found nowhere: {', '.join(map(label, missing[:_MAX_MISSING]))}" if missing else ""
    return strength(grade, f"{_FOUND[grade]}{named}")


def of_statements(fields: Mapping[str, Any]) -> str:
    """The line for what the memory says on a question."""
    method, entries = fields["method"], fields["entries"]
    if any(one["baseline"] and (one["score"] or {}).get("fused", 0) >= SUFFICIENT for one in entries):
        return strength("strong", "a statement that people agreed to matches well")
    if method["sufficient"]:
        return strength("weak", "a statement matches well, but no person has agreed to it")
    missing = f"; found nowhere: {', '.join(map(label, method['missing'][:_MAX_MISSING]))}" if method["missing"] else ""
    return strength("none", f"the memory has no good answer{missing}; do not fill the gap with a guess")


def of_sessions(confidences: Sequence[str], task: str) -> str:
    """The line for sessions that were weighed, by the confidence of each, the best first; ``task`` says for what."""
    if not confidences:
        return strength("none", f"no stored session was found to {task}")
    return strength(
        _OF_CONFIDENCE[confidences[0]], f"the best session was found to {task} with {confidences[0]} confidence"
    )


_UNPLAIN = re.compile(r"[^\w.:/@~+*,#-]+")
_MAX_LABEL_LENGTH = 120
# What steers a terminal, hides, or turns the direction of writing is taken out; other ends of lines become plain ones.
_TABLE: dict[int, str | None] = invisible() | dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)))
_TABLE |= dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029), "\n") | {0x09: "\t", 0x0A: "\n"}
# What most texts are made of stays. It is passed over at once, which is far quicker than looking at each sign.
_PRINTED = bytes((0x09, 0x0A, *range(0x20, 0x7F)))


def quoted(text: str, **labels: object) -> str:
    """``text`` between two fences, the first with the labels on it: session, date, agent and what else is known.

    The fences are longer than any inside, so the text cannot close them.
    """
    said = "".join(f" {name}={label(value)}" for name, value in labels.items() if value is not None)
    return fenced(readable(text).strip("\n"), said)


def readable(text: str) -> str:
    """``text`` without what only machines see, its lines ended as everywhere."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PRINTED).decode("utf-8", "surrogatepass")
    if _TABLE.keys().isdisjoint(map(ord, rest)):
        return text
    ended = text.replace("\r\n", "\n")
    plain = ended.translate(_TABLE)
    if plain == ended:
        return plain
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    # What stood on both sides of a sign is now one word.
    return redact(plain).text


def label(value: object) -> str:
    """A name from a log as one word: it stands outside the quotation and may hold anything."""
    text = str(value)
    return _UNPLAIN.sub("_", text if text.isascii() else text.translate(invisible()))[:_MAX_LABEL_LENGTH] or "_"


def line(text: str) -> str:
    """``text`` on one line, for lists inside a quotation."""
    return " ".join(readable(text).split())


# No text is longer, in bytes. Clients cut longer ones, some out of the middle, where the start of a quotation goes with
# it: Gemini CLI beyond 40,000 characters, Codex beyond 48,000 bytes, Claude Code beyond 50,000 characters.
MAX_TEXT = 38_000
# No structured half is longer, in characters.
MAX_CHARS = 60_000
# Of how an answer came about, what its caller can act on.
_STATUS = ("backend", "fallback_reason", "stale_or_unknown")
# An item that would take more than a quarter of a reply has its lists and texts cut to so much.
_MAX_ENTRIES, _MAX_ENTRY_LENGTH = 20, 2_000
_ROOM_FOR_A_NOTE = 300
# Of the sidecars of a list of chunks, what the text is made of.
_BRIEF = (
    *("id", "agent", "project", "session_id", "date", "kind", "started_at", "completed_at", "title", "chunk_title"),
    *("automated", "automated_why", "runs", "branch", "cwd", "lane", "run_id", "prompt_id", "found_in", "altered"),
    *("score", "member", "path"),
)
# What structured content has of each item: what the text says of it, the id to read on included.
OF_A_CHUNK = (
    *("id", "score", "started_at", "project", "title", "kind", "branch"),
    *("run_id", "found_in", "automated", "member"),
)


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The answer of a tool as text, and as fields for a caller that asks for them."""

    text: str
    fields: Mapping[str, Any]


def reply(
    schema: str, fields: Mapping[str, Any], text: str, items: str = "items", keep: Sequence[str] = ()
) -> ToolReply:
    """``fields`` under their schema, as far as they say what the text says: a program has the rest from `--json`.

    ``keep`` are the fields of each of ``items``.
    """
    found = _pruned(fields)
    if keep and items in fields:
        found[items] = [_pruned({name: each[name] for name in keep if name in each}) for each in fields[items]]
    if "oracle_status" in fields:
        found["oracle_status"] = {name: fields["oracle_status"].get(name) for name in _STATUS}
    quotes = {"warning": QUOTED_BRIEFLY} if "quoted-history" in text else {}
    return ToolReply(text, {"schema": schema, **found, **quotes})


def _pruned(value: Any) -> Any:
    """``value`` without fields that say nothing, at any depth: null, and empty lists and objects."""
    if isinstance(value, Mapping):
        found = {name: _pruned(item) for name, item in value.items()}
        return {name: item for name, item in found.items() if item is not None and item != [] and item != {}}
    return [_pruned(item) for item in value] if isinstance(value, list | tuple) else value


def as_json(fields: Mapping[str, Any]) -> Any:
    """``fields`` as plain JSON, every text in them without control characters and invisible ones."""
    return _readable(orjson.loads(orjson.dumps(fields, default=str)))


def _readable(value: Any) -> Any:
    if isinstance(value, dict):
        return {readable(name): _readable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_readable(item) for item in value]
    return readable(value) if isinstance(value, str) else value


def bounded(fields: Mapping[str, Any], name: str = "items", hint: str = "ask for fewer") -> dict[str, Any]:
    """``fields`` with as many of the list ``name`` as fit into a reply; a note says how many are left out.

    ``hint`` says how to get at the rest.
    """
    found = dict(fields)
    large = MAX_CHARS // 4
    if _size(found) <= MAX_CHARS:
        return found
    items: Sequence[Any] = found.pop(name)
    if _size(found) > large:
        found = slimmed(found)
    notes = list(found.get("notes", ()))
    room = MAX_CHARS - _size(found | {name: [], "notes": notes}) - _ROOM_FOR_A_NOTE
    short = [item if _size(item) <= large else slimmed(item) for item in items]
    kept = short[: first_that_fit((_size(item) + 1 for item in short), room)]
    if len(kept) < len(items):
        notes.append(f"{len(items) - len(kept)} of {len(items)} left out, which would not fit; {hint}")
    return found | {name: kept, "notes": notes} | ({"results": len(kept)} if "results" in found else {})


def slimmed(value: Any) -> Any:
    """``value`` with long lists and texts in it cut; in place of what is left out stands how much it was."""
    if isinstance(value, Mapping):
        return {name: slimmed(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        kept = [slimmed(item) for item in value[:_MAX_ENTRIES]]
        return kept if len(value) <= _MAX_ENTRIES else [*kept, f"… and {len(value) - _MAX_ENTRIES} more"]
    if isinstance(value, str) and len(value) > _MAX_ENTRY_LENGTH:
        return f"{value[:_MAX_ENTRY_LENGTH]}… and {len(value) - _MAX_ENTRY_LENGTH} more characters"
    return value


def _size(value: Any) -> int:
    return len(orjson.dumps(value, default=str))


def brief(fields: dict[str, Any]) -> dict[str, Any]:
    """``fields`` with what is said of each chunk in a list, in place of its whole sidecar."""
    found = [{name: item[name] for name in _BRIEF if name in item} for item in fields["items"]]
    return fields | {"items": [_of_member(item) for item in found]}


def _of_member(item: dict[str, Any]) -> dict[str, Any]:
    """The item with its member where another one wrote it: it has no path on this machine, and no tool opens it."""
    path = item.pop("path", None)
    return item if path == "" else {name: value for name, value in item.items() if name != "member"}
