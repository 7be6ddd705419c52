"""JSON that tools print, also with lines of other tools around it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_DECODER = json.JSONDecoder()
_MOST_TRIED = 200  # beginnings of a document that are tried


def documents(text: str) -> Iterator[Any]:
    """The objects and arrays in ``text`` that begin a line, outermost first; what cannot be read is skipped."""
    position, tried = 0, 0
    while position < len(text) and tried < _MOST_TRIED:
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
