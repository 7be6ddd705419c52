"""Lines set in rows that fit a terminal: at spaces, what follows below what it belongs to, styles kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from shutil import get_terminal_size
from typing import TextIO

from aicx.values import regex

_STYLE = regex(r"\x1b\[[0-9;]*m")
_RESET = "\x1b[0m"
# What continues below its text: a bullet, a number, a quoted line, and a label of ours.
_LEAD = regex(r"\s*(?:│ |(?:[-*•↳+] |\d+[.)/]?\d* +|(?:note|warning|error|next|hint): +))?")
_GAP = regex(r"\S {2,}(?=\S)")
# Signs that take two cells; they may be parted anywhere.
_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
    "\U0001f300-\U0001faff\U00020000-\U0003fffd"
)
_WIDE_SIGN = regex(f"[{_WIDE}]")
# A separator stays with the fact before it, and so does a full stop or a closing bracket of East Asian scripts.
_CLOSING = "\u3001\u3002\u300d\u300f\uff01\uff09\uff0c\uff0e\uff1f"
_BREAK = regex(rf" +(?![·→] )|(?<=[{_WIDE}])(?=[^\s{_CLOSING}])")
_NARROWEST = 20


def columns(stream: TextIO) -> int:
    """How wide the terminal is that ``stream`` prints to: as COLUMNS says, else as it says itself."""
    try:
        return int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        pass
    try:
        return os.get_terminal_size(stream.fileno()).columns or get_terminal_size().columns
    except (OSError, ValueError):
        return get_terminal_size().columns


def fold(text: str, width: int) -> str:
    """``text`` with each line in rows of at most ``width`` cells; a word that is longer, as a path may be, is whole."""
    return "\n".join(row for line in text.split("\n") for row in _rows(line, max(width, _NARROWEST)))


def _rows(line: str, width: int) -> Iterator[str]:
    plain = _STYLE.sub("", line)
    if cells(plain) <= width:
        yield line
        return
    lead, hang = _lead(plain, width)
    styles = _Styles(line)
    low, before, room = 0, "", width
    while True:
        high, following = _end(plain, low, room, len(lead) if low == 0 else 0)
        yield before + styles.between(low, high)
        if following >= len(plain):
            return
        low, before, room = following, hang, width - len(hang)


def _lead(plain: str, width: int) -> tuple[str, str]:
    """Returns what the first row begins with, and the others instead."""
    found = _LEAD.match(plain)
    lead = found[0] if found else ""
    gaps = [gap.end() for gap in _GAP.finditer(plain) if gap.end() <= width // 2]
    at = min(max([len(lead), *gaps]), width // 2)
    return plain[:at], lead if "│" in lead else " " * at


def _end(plain: str, low: int, room: int, lead: int) -> tuple[int, int]:
    """Where a row that begins at ``low`` ends, and where the next one begins."""
    limit = _reach(plain, low, room)
    if limit == len(plain):
        return limit, limit
    breaks = [found.span() for found in _BREAK.finditer(plain, low + lead) if found.start() > low + lead]
    fitting = [span for span in breaks if span[0] <= limit]
    # A command in backticks is copied as a whole.
    unquoted = [span for span in fitting if plain.count("`", low, span[0]) % 2 == 0]
    if fitting:
        return (unquoted or fitting)[-1]
    return breaks[0] if breaks else (len(plain), len(plain))


def _reach(plain: str, low: int, room: int) -> int:
    """How far a row of ``room`` cells reaches."""
    high = min(low + room, len(plain))
    while high > low + 1 and cells(plain[low:high]) > room:
        high -= 1
    return high


def cells(plain: str) -> int:
    """How many cells of a terminal a text takes."""
    if plain.isascii() and "\t" not in plain:
        return len(plain)
    return len(plain.expandtabs()) + len(_WIDE_SIGN.findall(plain))


class _Styles:
    """A line whose pieces keep their styles: each begins with those that are on and ends without any."""

    def __init__(self, line: str) -> None:
        self._at: list[tuple[int, str]] = []
        taken = 0
        for found in _STYLE.finditer(line):
            self._at.append((found.start() - taken, found[0]))
            taken += len(found[0])
        self._plain = _STYLE.sub("", line)

    def between(self, low: int, high: int) -> str:
        on: list[str] = []
        pieces: list[str] = []
        at = low
        for place, code in self._at:
            if place > high or (place == high and code != _RESET and high < len(self._plain)):
                break
            if place > low:
                pieces += [self._plain[at:place], code]
                at = place
            on = [] if code == _RESET else [*on, code]
            if place <= low:
                pieces = list(on)
        return "".join([*pieces, self._plain[at:high], *([_RESET] if on else [])])
