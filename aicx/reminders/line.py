"""The line that a session is reminded with: quoted, short, and between fences."""

from __future__ import annotations

from aicx.quoting import fenced, to_check
from aicx.text import shorten

# Together with its fences: 200 tokens, however a model counts them.
MAX_BYTES = 600
_LABELS = f", {to_check()}; `aicx show REF` opens a reference in [brackets]"
# What the opening and, in turn until all of it fits, a quotation are shortened to.
_MAX_OPENING = 160
_ROOM = (320, 240, 180, 130, 90, 60, 40)


def reminder(opening: str, quoted: list[tuple[str, str]], ref: str) -> str:
    """Three lines: a fence that says what it is, one line of history, and the fence that ends it.

    ``quoted`` are words before a quotation and the quotation; ``ref`` is where to read on.
    """
    for room in _ROOM:
        parts = [f"{before} “{_plain(text, room)}”".lstrip() for before, text in quoted if text]
        # The opening may name a file, and a file may be called anything.
        body = f"{_plain(opening, _MAX_OPENING)} {' '.join(parts)} [{ref}]"
        text = fenced(body, _LABELS)
        if len(text.encode("utf-8", "replace")) <= MAX_BYTES:
            break
    return text


def _plain(text: str, limit: int) -> str:
    """A quotation on one line, without what nobody sees and without the sign that would end it."""
    return shorten(text.replace("”", '"'), limit)
