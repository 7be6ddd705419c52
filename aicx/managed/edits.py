"""Edits of files that belong to somebody else: texts put in at known places, each of which can be taken out again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


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
