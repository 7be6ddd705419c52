"""JSON that tools print, also with lines of other tools around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()
_MAX_TRIED = 200  # beginnings of a document that are tried


def documents(text: str) -> Iterator[Any]:
    """The objects and arrays in ``text`` that begin a line, outermost first; what cannot be read is skipped."""
    position, tried = 0, 0
    while position < len(text) and tried < _MAX_TRIED:
        if text[position] in "[{":
            try:
                value, position = _DECODER.raw_decode(text, position)
            except (ValueError, RecursionError):
                tried += 1
            else:
                yield value
        position = _next_line(text, position)


def _next_line(text: str, position: int) -> int:
    """Where the next line begins that a document may begin with."""
    while (position := text.find("\n", position) + 1) > 0:
        if text[position : position + 1] in ("[", "{"):
            return position
    return len(text)


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects of an array, or one object."""
    return [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, dict)]


def number(value: Any) -> int | None:
    """A line or column; None for anything else, so also for a truth value."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def sarif(document: Any) -> Iterator[tuple[dict[str, Any], str, str | None, int | None, str]]:
    """The results of a report in the format that linters share: each with its message, file, line and level."""
    for run in rows(document.get("runs", [])) if isinstance(document, dict) else []:
        for result in rows(run.get("results", [])):
            place = below(result, "locations", "physicalLocation")
            message = word(below(result, "message").get("text")) or ""
            level = word(result.get("level")) or "warning"
            file = word(below(place, "artifactLocation").get("uri"))
            yield result, message, file, number(below(place, "region").get("startLine")), level


def below(value: Any, *names: str) -> dict[str, Any]:
    """The object that ``names`` lead to, through the first element of arrays; an empty one where they lead nowhere."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, list):
            value = value[0] if value else None
    return value if isinstance(value, dict) else {}
