"""An output as a terminal would show it in the end: no colours, overwritten progress, or prefixes that wrappers add."""

from __future__ import annotations

import re

from aicx.terminal import without_controls
from aicx.values import regex

HEAD, TAIL = 2_000_000, 6_000_000  # characters that are read of a longer output; what fails is mostly at its end
MAX_LINE = 4000  # of what the families see line by line; a whole JSON document is in the text

_LINK = regex(r"\x1b\]8;[^\x07\x1b\n]{0,2000}+(?:\x07|\x1b\\)")
# Colours whose escape sign something took out before.
_BARE_STYLE = regex(r"\[(?:\d{1,3}(?:;\d{1,3}){0,5})?m(?!\])")
_BACKSPACE = regex(r"[^\x08\n]\x08")
_STYLED = regex(r"\[(?:\d{1,2}(?:;\d{1,3}){1,5}|[013-9]\d?)m")
_ERASED = regex(r"\x1b\[[0-2]?K")
# Going back to the beginning of the line, which what follows writes over.
_BACK = regex(r"\x1b\[[01]?G|\x1b\[2K")


def plain(output: str) -> str:
    """``output`` without what a terminal obeys; of lines that were written over only what stayed is kept."""
    if len(output) > HEAD + TAIL:
        output = output[: output.find("\n", HEAD) + 1 or HEAD] + output[output.find("\n", len(output) - TAIL) + 1 :]
    text = output.replace("\r\n", "\n")
    if "\x1b[" in text:
        text = _BACK.sub("\r", text)
    if "\x1b]8;" in text:
        text = _LINK.sub("", text)
    if "\x08" in text:
        text = _BACKSPACE.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_written(line) if "\r" in line else line for line in text.split("\n"))
    text = without_controls(text)
    if "m" in text and _STYLED.search(text):
        text = _BARE_STYLE.sub("", text)
    return text.replace("\xa0", " ")


def _last_written(line: str) -> str:
    """Returns a line as it shows after it was written over; a shorter text leaves nothing of a longer one."""
    parts = [part for part in line.split("\r") if _ERASED.sub("", part).strip()]
    return parts[-1] if parts else ""


_NO_LEVEL = r"(?!(?:error|warn|warning|info|debug|note|fatal)\b)"  # which tools themselves put first
# What runs several commands at once puts in front of each line: compose, concurrently, turbo, a build service's clock.
_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? ?",
        r"\[\d\d:\d\d:\d\d(?:\.\d{1,6})?\] ",
        r"[\w.@/-]{1,60} {1,20}\| ?",
        rf"\[(?:\d{{1,2}}|{_NO_LEVEL}[a-z][\w:.-]{{0,30}})\] ",
        rf"@?[\w./-]{{1,60}}:{_NO_LEVEL}[a-z][\w:-]{{0,40}}: ",
        r"#\d{1,3} \d{1,5}\.\d{1,4} ",
    )
)
# A runner of tasks says what it starts for each, and puts the task before each of its lines.
_ANNOUNCED = regex(r"(\[[\w.:/-]{1,60}\] )\$ \S")
_SHARE = 0.9  # of the lines that must have a prefix before it is taken off
_MIN_COMMON = 3


def unprefixed(lines: list[str]) -> list[str]:
    """``lines`` without a prefix that nearly all of them have in the same form, and which few different values fill."""
    filled = [line for line in lines[:2000] if line.strip()]
    if len(filled) < _MIN_COMMON:
        return lines
    if tasks := tuple({match[1] for line in filled if (match := _ANNOUNCED.match(line))}):
        return [line.partition("] ")[2] if line.startswith(tasks) else line for line in lines]
    for pattern in _PREFIXES:
        matches = [match for line in filled if (match := pattern.match(line))]
        if len(matches) < _SHARE * len(filled):
            continue
        clock = pattern is _PREFIXES[0] or pattern is _PREFIXES[1] or pattern is _PREFIXES[-1]
        if not clock and len({match[0] for match in matches}) > max(1, len(filled) // 8):
            continue
        return [line[match.end() :] if (match := pattern.match(line)) else line for line in lines]
    return lines
