"""Stack traces of JavaScript, as Node, test runners and bundlers print them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from aicx.values import dataclass

_NAME = r"(?P<file>(?:file://|node:|webpack(?:-internal)?://)?(?:[A-Za-z]:[\\/])?[^\s():][^():\n]{0,500}?)"
_SPOT = rf"{_NAME}:(?P<line>\d+)(?::(?P<column>\d+))?"
_AT = re.compile(rf"[\s|]*at (?:[^\n(]{{0,300}}?\()?{_SPOT}\)?[\s,{{]*$")
_PARENTHESES = re.compile(rf"[\s|]*at [^\n]{{0,400}}\({_SPOT}\)[\s,{{]*$")
_ARROW = re.compile(rf"\s*❯ (?:\S{{1,200}} )?{_SPOT}\s*$")
_FOREIGN = re.compile(
    r"(?:^|/)node_modules/|^node:|^internal/|^(?:native|<anonymous>|evalmachine)|^\[?(?:wasm|eval)|\.yarn/"
)
ERROR = re.compile(
    r"(?P<prefix>(?:Uncaught |Caused by: |Unhandled \w+: |Exception during run: |\[cause\]: )?)(?P<type>(?:[A-Za-z_$][\w$]{0,80}\.)?[A-Z$_][\w$]{0,80}(?:Error|Exception|Warning|Failure)"
    r"|Error|TSError|DOMException)(?: \[(?P<code>[\w-]+)\])?(?:: ?(?P<text>.*)|$)"
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file that a frame names."""

    file: str
    line: int
    column: int | None


def spot(line: str) -> Spot | None:
    """The place that a line of a stack names, None for any other line."""
    if ":" not in line or not ("at " in line or "❯" in line):
        return None
    match = _AT.match(line) or _PARENTHESES.match(line) or _ARROW.match(line)
    if match is None:
        return None
    return Spot(match["file"], int(match["line"]), int(match["column"]) if match["column"] else None)


def is_frame(line: str) -> bool:
    """Whether a line belongs to a stack, also where it names no place."""
    text = line.lstrip(" |")
    return text.startswith(("at ", "❯ ")) and (spot(line) is not None or "<anonymous>" in text or "(native)" in text)


def is_foreign(file: str) -> bool:
    """Whether a file belongs to Node or to an installed package."""
    return _FOREIGN.search(file.replace("\\", "/")) is not None


def own(spots: Iterable[Spot]) -> Spot | None:
    """The deepest place in the project's own files, else the deepest of all."""
    found = list(spots)
    return next((each for each in found if not is_foreign(each.file)), found[0] if found else None)


def kind(error: re.Match[str] | None) -> str | None:
    """The code of an error: what is in its brackets, or its class where that is more than `Error`."""
    if error is None:
        return None
    name = error["type"].rpartition(".")[2]
    code = error["code"]
    return code if code and "_" in code else None if name == "Error" else name


def stack(lines: Sequence[str], start: int, most: int = 60) -> tuple[list[Spot], int]:
    """The places of the stack that begins at ``start``, and the line after it."""
    spots: list[Spot] = []
    position = start
    while position < min(len(lines), start + most) and is_frame(lines[position]):
        if each := spot(lines[position]):
            spots.append(each)
        position += 1
    return spots, position
