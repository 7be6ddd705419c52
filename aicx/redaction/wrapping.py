"""Secrets split in two by a terminal, an editor or an author: the characters allowed between the halves."""

from __future__ import annotations

import re
from functools import cache

from aicx.redaction.values import is_random

_MAX_LINES = 60

_LINE_END = r"""(?:\r?\n|\\{1,4}r?\\{0,4}n|\\{1,4}n)"""
# Bounded, because two runs of blanks that may each take the other's share make a match quadratic.
_BLANKS = r"[ \t]{0,40}"
_GUTTER = rf"{_BLANKS}(?:[│┃|>+#-][ \t]?|\d{{1,6}}[→\t:|][ \t]?)?{_BLANKS}"


@cache
def _joint() -> re.Pattern[str]:
    """A line break with its decoration: quotes, a plus or a backslash, box drawing, diff signs, line numbers."""
    return re.compile(
        rf"""\\?["'`]?{_BLANKS}[\\+.,│┃|]?{_BLANKS}{_LINE_END}{_GUTTER}(?:\+{_BLANKS})?["'`]?
        | ["'`]{_BLANKS}\+{_BLANKS}["'`]""",
        re.VERBOSE,
    )


@cache
def _run(alphabet: str) -> re.Pattern[str]:
    # The continuation has the rest of its line to itself: a name before a `=` or a word of a sentence is none.
    return re.compile(rf"""([{alphabet}]{{1,4096}})(?=["'`]?(?:[\\+,;)}}│┃|\s"'`]|\Z))""")


def end_of_wrapped(text: str, end: int, length: int, alphabet: str, full: int = 0) -> int:
    """Where a token ends whose first ``length`` characters end at ``end``, counting what continues on later lines.

    ``alphabet`` is the inside of a character class. With ``full``, the token's length is known, and only pieces that
    complete it are taken; without, pieces that look generated and stand alone on their line.
    """
    for _ in range(_MAX_LINES):
        joint = _joint().match(text, end)
        run = joint and _run(alphabet).match(text, joint.end())
        if not run:
            break
        piece = len(run[1])
        if full:
            if length + piece > full or (length + piece < full and not is_random(run[1], 12)):
                break
        elif not (is_random(run[1], 24) or (is_random(run[1], 8) and _stands_alone(text, run.end()))):
            break
        length += piece
        end = run.end()
        if full and length == full:
            break
    return end


def _stands_alone(text: str, end: int) -> bool:
    """Whether nothing but decoration follows on the line."""
    line_end = text.find("\n", end, end + 200)
    rest = text[end : line_end if line_end >= 0 else end + 40]
    return not rest.strip(" \t\"'`\\+,;)}│┃|") or rest.lstrip("\"'").startswith(("\\n", "\\r"))
