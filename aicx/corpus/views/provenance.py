"""Checks whether a chunk's sources still exist and still contain its records."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import orjson

from aicx.sources import is_agent, load_source
from aicx.sources.databases import holds_session
from aicx.sources.items import BadRecord, LogFile
from aicx.sources.records import LINE_LIMIT, WHOLE_LIMIT, dump_json, read_json, stat_log

State = Literal["unchanged", "changed", "gone", "unreadable"]

# Formats whose spans count elements of a JSON list rather than bytes: the list's name, None where it is the whole log.
_LISTS = {"codex-rollout-json": "items", "gemini-json": "messages", "gemini-logs": None}
# Logs whose names differ only in their secrets. Each of them would have to be read.
_MAX_PLACES = 8
_PADDING = b" \t\r\n\0"


def sources_of(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every log a chunk is from, the main one first."""
    more = fields.get("more_sources")
    listed = [fields.get("source"), *(more if isinstance(more, list) else ())]
    return [source for source in listed if isinstance(source, dict) and isinstance(source.get("path"), str)]


def is_there(path: str) -> bool:
    try:
        return any(found.exists() or holds_session(found) for found in places_of(path))
    except (OSError, ValueError):
        return False


def places_of(path: str) -> list[Path]:
    """Where a recorded path may be: one in which a secret was redacted is looked for, folder by folder."""
    if "[REDACTED:" not in path:
        return [Path(path)]
    from aicx.redaction import redact  # imported here: its rules take a while to compile, and few paths need them

    places = [Path("/")]
    for name in PurePosixPath(path).parts[1:]:
        if "[REDACTED:" not in name:
            places = [place / name for place in places]
            continue
        beside = (Path(entry) for place in places if place.is_dir() for entry in os.scandir(place))
        places = [found for found in beside if redact(found.name).text == name][:_MAX_PLACES]
    return [place for place in places if redact(str(place)).text == path]


def verify_source(source: Mapping[str, Any]) -> State:
    """Whether the records a chunk was made from are what they were when it was stored."""
    wanted = source.get("sha256")
    try:
        places = places_of(source["path"])
        found = (hashes for path in places for hashes in _record_hashes(source, path))
        same = any(sha256("".join(hashes).encode()).hexdigest() == wanted for hashes in found)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except (OSError, ValueError):
        return "unreadable"
    return "gone" if not places else "unchanged" if same else "changed"


def _record_hashes(source: Mapping[str, Any], path: Path) -> Iterator[list[str]]:
    spans, form = _spans(source.get("spans")), str(source.get("format"))
    if form in _LISTS:
        return _element_hashes(path, form, spans)
    if (elements := _messages_in(path, form)) is not None:
        return iter([_hashes_of(elements, spans)])
    return iter(_byte_hashes(path, spans))


def _spans(value: Any) -> list[tuple[int, int]]:
    """The well-formed spans; one that is not takes the match of the hashes with it."""
    pairs = [tuple(pair) for pair in value if isinstance(pair, list)] if isinstance(value, list) else []
    return [pair for pair in pairs if len(pair) == 2 and all(isinstance(number, int) for number in pair)]


def _byte_hashes(path: Path, spans: list[tuple[int, int]]) -> list[list[str]]:
    """The records' hashes without the white space around them, as lines are hashed, and with it, as whole files are."""
    lines, files = [], []
    with path.open("rb") as stream:
        for start, end in spans:
            stream.seek(start)
            body = stream.read(max(end - start, 0))
            lines.append(sha256(body.strip(_PADDING)).hexdigest())
            files.append(sha256(body).hexdigest())
    return [lines, files]


def _element_hashes(path: Path, format: str, spans: list[tuple[int, int]]) -> Iterator[list[str]]:
    """The hashes of the elements that are still there; where the log no longer parses, none is.

    Of a large log, also those of its elements with their embedded data: earlier versions stored these.
    """
    limits = (LINE_LIMIT, WHOLE_LIMIT) if path.stat().st_size > LINE_LIMIT else (LINE_LIMIT,)
    for whole_up_to in limits:
        yield _hashes_of(_elements(path, format, whole_up_to), spans)


def _hashes_of(elements: list[Any], spans: list[tuple[int, int]]) -> list[str]:
    return [sha256(dump_json(elements[start])).hexdigest() for start, _ in spans if start < len(elements)]


def _messages_in(path: Path, format: str) -> list[Any] | None:
    """The messages that spans count in a log of several files or in a database; None for a format of bytes."""
    agent = format.partition("-")[0]
    read = getattr(load_source(agent), "elements", None) if is_agent(agent) else None
    if read is None:
        return None
    if not path.exists() and not holds_session(path):
        raise FileNotFoundError(path)
    found: list[Any] | None = read(LogFile(agent, format, path, 0, ""))
    return found


def _elements(path: Path, format: str, whole_up_to: int) -> list[Any]:
    name = _LISTS[format]
    if name is None:
        try:
            value = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError:
            return []
        return value if isinstance(value, list) else []
    with path.open("rb"):
        pass  # raises what `verify_source` tells apart; `read_json` makes one thing of it
    log = stat_log("", format, path)
    whole = log if isinstance(log, BadRecord) else read_json(log, whole_up_to=whole_up_to)
    elements = whole.get(name) if isinstance(whole, dict) else None
    if not isinstance(whole, dict) or not isinstance(elements, list):
        return []
    # A Codex rollout gives its session the position before its items, which is -1.
    return [*elements, whole.get("session")] if format == "codex-rollout-json" else elements
