"""Answers of a search on a terminal: quoted lines, why one has its place, and what to do next where there is none.

Lines are without the marks of Markdown, in rows that fit, with what matched in colour.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from aicx import console
from aicx.config import load_settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import NotFound
from aicx.values import regex
from retrieval.lines import ShortenedLine

if TYPE_CHECKING:
    from aicx.engine.search import Hit

_TARGET = r"\((?:https?://|/)[^)\s]*\)"
_EMPHASIS = regex(rf"\*\*|(?<!\S)#{{1,6}} |\[(?=[^\]\n]+\]{_TARGET})|\]{_TARGET}")
# What stands before a quoted line, and the narrowest it is set in.
_GUTTER, _NARROWEST = len("    │ "), 20


def print_lines(lines: Iterable[ShortenedLine]) -> None:
    """Prints quoted lines behind a bar."""
    for line in lines:
        for row in rows(plain(line)):
            console.out(f"    {console.style('│', dim=True)} {row}")


def plain(line: ShortenedLine) -> ShortenedLine:
    """A line that somebody said without the marks of Markdown; what tools print stays as it is."""
    if line.voice == "tool":
        return line
    kept: list[str] = []
    moved: dict[int, int] = {}  # where each character that stays is then
    end = 0
    for found in (*_EMPHASIS.finditer(line.text), None):
        piece = line.text[end : found.start() if found else len(line.text)]
        moved |= {end + place: sum(map(len, kept)) + place for place in range(len(piece) + 1)}
        kept.append(piece)
        end = found.end() if found else end
    marks = tuple((moved[low], moved[high]) for low, high in line.marks if low in moved and high in moved)
    return replace(line, text="".join(kept), marks=marks)


def rows(line: ShortenedLine) -> Iterator[str]:
    """A quoted line with its marks, in rows that fit into the terminal; in one row where there is none."""
    width = console.terminal_size().columns - _GUTTER if sys.stdout.isatty() else len(line.text)
    low = 0
    while low < len(line.text):
        high = _end_of_row(line.text, low, max(width, _NARROWEST))
        yield _highlighted(line.text, line.marks, low, high)
        low = high + (line.text[high : high + 1] == " ")


def _end_of_row(text: str, low: int, width: int) -> int:
    """Where a row that begins at ``low`` ends: at a space, if there is one in its second half."""
    if len(text) - low <= width:
        return len(text)
    space = text.rfind(" ", low + width // 2, low + width + 1)
    return space if space > low else low + width


def _highlighted(text: str, marks: tuple[tuple[int, int], ...], low: int, high: int) -> str:
    """The part of a text from ``low`` to ``high``, with what is marked in it."""
    pieces = []
    at = low
    for start, end in marks:
        start, end = max(start, low), min(end, high)
        if start < end:
            pieces += [text[at:start], console.style(text[start:end], fg="red", bold=True)]
            at = end
    return "".join([*pieces, text[at:high]])


NOTHING_STORED = "Nothing is stored yet. Next: aicx store"


def notify_nothing(found: str) -> None:
    """Prints ``found``, a sentence for a search of what is stored; or, where nothing is, how to store something."""
    console.notify(NOTHING_STORED if _is_empty() else found)


def _is_empty() -> bool:
    try:
        with open_catalog(load_settings().layout) as opened:
            return not opened.catalog.rows("SELECT 1 FROM chunks LIMIT 1")
    except NotFound:
        return True


def print_explanation(hit: Hit) -> None:
    """Prints each retriever's rank and score, and the factors that they were multiplied by."""
    votes = [f"{name}: rank {vote.rank}, score {vote.score:.3f}" for name, vote in hit.votes.items()]
    ranked = f"score {hit.score:.2f}: {', '.join(votes)}" if votes else "by date"
    reasons = f"{ranked}; decay x{hit.decay_factor:.2f}; this repository x{hit.own:.2f}"
    if made := hit.history:
        reasons += (
            f"; commit {made.commit[:10]}, named by {made.kind}, x{hit.history_factor:.2f}:"
            f" at work {made.gap.total_seconds() / 3600:.1f} h before it, touched {made.touched} of {made.files}"
        )
    console.out(f"    {console.style(reasons, fg='magenta')}")
