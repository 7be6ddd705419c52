"""Says of a chunk's sources whether they are still there and still hold what the chunk was made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.sources.records import dump_json

State = Literal["unchanged", "changed", "gone", "unreadable"]

# Formats whose spans count elements of a JSON list rather than bytes, and where in the log that list is.
_ELEMENTS: dict[str, Callable[[Any], Any]] = {
    "codex-rollout-json": lambda log: log["items"],
    "gemini-json": lambda log: log["messages"],
    "gemini-logs": lambda log: log,
}
_PADDING = b" \t\r\n\0"


def sources_of(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every log a chunk is from, the main one first."""
    more = fields.get("more_sources")
    listed = [fields.get("source"), *(more if isinstance(more, list) else ())]
    return [source for source in listed if isinstance(source, dict) and isinstance(source.get("path"), str)]


def is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def verify_source(source: Mapping[str, Any]) -> State:
    """Whether the records a chunk was made from are what they were when it was stored."""
    path, wanted = Path(source["path"]), source.get("sha256")
    spans = _spans(source.get("spans"))
    try:
        if source.get("format") in _ELEMENTS:
            found = [_element_hashes(path, str(source["format"]), spans)]
        else:
            found = _byte_hashes(path, spans)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except (OSError, ValueError):
        return "unreadable"
    return "unchanged" if any(sha256("".join(hashes).encode()).hexdigest() == wanted for hashes in found) else "changed"


def _spans(value: Any) -> list[tuple[int, int]]:
    pairs = value if isinstance(value, list) else []
    return [(start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int)]


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


def _element_hashes(path: Path, format: str, spans: list[tuple[int, int]]) -> list[str]:
    """The hashes of the elements that are still there; where the log no longer parses, none is."""
    try:
        log = orjson.loads(path.read_bytes())
        elements = _ELEMENTS[format](log)
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return []
    if not isinstance(elements, list):
        return []
    # The record of a Codex session stands before its items.
    if format == "codex-rollout-json":
        elements = [*elements, log.get("session")]
    return [sha256(dump_json(elements[start])).hexdigest() for start, _ in spans if start < len(elements)]
