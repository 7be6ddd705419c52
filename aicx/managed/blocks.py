"""Texts put into files of others, each to be taken out again; and blocks of whole lines between two marks.

The line ends that set a block apart are chosen so that the block alone says how the file was without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aicx.errors import CorpusDamaged


class Insertion(NamedTuple):
    """``text`` put in at character ``at`` of what the text was just before."""

    at: int
    text: str


def put_in(text: str, insertions: Iterable[Insertion]) -> str:
    for at, added in insertions:
        text = text[:at] + added + text[at:]
    return text


def taken_out(text: str, insertions: Sequence[Insertion]) -> str | None:
    """``text`` as it was before ``insertions``, which were made in their order; None where one cannot be found.

    What somebody wrote before or after them since then stays: each is looked for where it was put, and then elsewhere
    if it is there once.
    """
    for at, added in reversed(insertions):
        if text[at : at + len(added)] != added:
            if text.count(added) != 1:
                return None
            at = text.index(added)
        text = text[:at] + text[at + len(added) :]
    return text


def line_end(text: str) -> str:
    """How the lines of a text end, judged by its first one."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def line_of(text: str, at: int) -> int:
    """The number of the line that character ``at`` is in, from 1."""
    return text.count("\n", 0, at) + 1


_BYTE_ORDER_MARK = "\ufeff"


START, END = "<!-- aicx:start -->", "<!-- aicx:end -->"


class Marks(NamedTuple):
    """The lines that begin and end a block, comments of the file's format."""

    start: str
    end: str


# Lines of one block never hold the start of another.
_WHOLE = re.compile(
    rf"^\ufeff?{START}[ \t]*\r?\n(?:(?!{START}).*\n)*?{END}[ \t]*\r?$",
    re.MULTILINE,
)
MARKDOWN, LINES = Marks(START, END), Marks("# aicx:start", "# aicx:end")


def find(text: str, marks: Marks = MARKDOWN) -> tuple[int, int] | None:
    """Where the block begins and ends, its last line's end left out; None for none.

    Raises CorpusDamaged for a block that lacks its start or its end, and for a second one.
    """
    starts, ends = _lines(text, marks.start), _lines(text, marks.end)
    if not starts and not ends:
        return None
    if len(starts) == 1 and len(ends) == 1 and starts[0].start() < ends[0].start():
        return starts[0].start(), ends[0].end()
    first = min(found.start() for found in [*starts, *ends])
    several = len(starts) > 1 and len(starts) == len(ends)
    lacks = "there is more than one block" if several else "the block is not whole"
    raise CorpusDamaged(
        f"line {line_of(text, first)}: {lacks} between `{marks.start}` and `{marks.end}`",
        hint="take out what is left of it by hand, then again; nothing was changed, and only those lines are lost",
    )


def holds(text: str, body: str, marks: Marks = MARKDOWN) -> bool:
    """Whether the text has a block with just this body. Raises as `find` does."""
    place = find(text, marks)
    return place is not None and text[slice(*place)] == _block(text, body, marks)


def insertion(text: str, body: str, marks: Marks = MARKDOWN) -> Insertion:
    """Returns the insertion of a block at the end of a text, whose last line ends as before, or still does not."""
    return appended(text, _block(text, body, marks))


def without(text: str, marks: Marks = MARKDOWN) -> str:
    """The text without its block, as it was before `insertion`. Raises as `find` does."""
    place = find(text, marks)
    return text if place is None else cut(text, *place)


def blanked(text: str) -> str:
    """The text with empty lines in place of every block of ours; what was begun and does not end is no block."""
    return _WHOLE.sub(lambda found: "\n" * found[0].count("\n"), text) if START in text else text


def appended(text: str, lines: str) -> Insertion:
    """Returns the insertion of ``lines``, without their last line end, behind an empty line at the end of a text."""
    end = line_end(text)
    if text in ("", _BYTE_ORDER_MARK):
        return Insertion(len(text), lines + end)
    return Insertion(len(text), end + lines + end if text.endswith("\n") else end + end + lines)


def cut(text: str, start: int, end: int) -> str:
    """The text without whole lines, as it was before `appended`; ``end`` is before the last one's line end."""
    before, after = text[:start], text[end:]
    if not after:
        return re.sub(r"(\r?\n){1,2}\Z", "", before)
    # The line end before a block is not its own where the block was put first.
    after = re.sub(r"\A\r?\n", "", after)
    return (re.sub(r"(?:(?<=\n)|\A)\r?\n\Z", "", before) if before else before) + after


def _block(text: str, body: str, marks: Marks) -> str:
    """The lines of a block, ended as those of the text, without the end of the last one."""
    return line_end(text).join([marks.start, *body.strip("\n").split("\n"), marks.end])


def _lines(text: str, mark: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"(?:^|(?<=\A\ufeff)){re.escape(mark)}(?=[ \t]*\r?$)", text, re.MULTILINE))
