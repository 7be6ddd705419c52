"""One failing test of a JavaScript runner: its message, and the place that its stack names, as Node and bundlers print it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from aicx.toolchains.family import Diagnostic
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
_MARKED = re.compile(r"\s*>\s?\d+ ?\|(?P<source>.*)$")
_CARET = re.compile(r"\s*\|[\s^~]*\^[\s^~]*$")
_SOURCE = re.compile(r"\s*>?\s*\d+ ?\|")
# Where parsers of source put the place of what they could not read.
_IN_MESSAGE = (
    re.compile(
        r"SyntaxError: (?P<file>/[^:\n]{1,500}?|[A-Za-z]:[\\/][^:\n]{1,500}?): .*\((?P<line>\d+):(?P<column>\d+)\)"
    ),
    re.compile(r"\s*File: (?P<file>[^\s:]{1,500}):(?P<line>\d+):(?P<column>\d+)"),
    re.compile(
        r"\s*(?P<file>[^\s:]{1,500}\.[cm]?[jt]sx?):(?P<line>\d+):(?P<column>\d+) - error (?P<code>TS\d+): (?P<message>.*)"
    ),
    re.compile(r"\s*(?P<file>/[^\s:]{1,500}\.[cm]?[jt]sx?):(?P<line>\d+)$"),
    re.compile(r"\s*[╭,][─-]\[(?P<file>[^\]:\n]{1,500}):(?P<line>\d+):(?P<column>\d+)\]"),
)
_CODE = re.compile(r"\s*code: '(?P<code>[A-Z][A-Z0-9_]{2,60})'")
_NOISE = re.compile(r"\s*(?:Jest encountered an unexpected token|Details:)$")
_MAX_LINES = 10  # lines of a message


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


def error_of(
    block: Sequence[str], test: str | None, file: str | None, phase: str = "test", tool: str | None = None
) -> Diagnostic:
    """The error that a test's lines tell: the message up to the source or the stack, and the deepest own place."""
    said: list[str] = []
    spots: list[Spot] = []
    source = ""
    talking = True
    for position, line in enumerate(block):
        if _SOURCE.match(line) or _CARET.match(line):
            talking = False
            if marked := _MARKED.match(line):
                source = source or marked["source"].strip()
            elif _CARET.match(line) and position and not source:
                source = re.sub(r"^\s*\d+ ?\|", "", block[position - 1]).strip()
        elif is_frame(line):
            talking = False
            if each := spot(line):
                spots.append(each)
        elif talking and line.strip() and len(said) < 40:
            said.append(line.strip())
    inside = next((match for line in block for pattern in _IN_MESSAGE if (match := pattern.match(line.strip()))), None)
    said = _without_advice(said)
    first = next((line for line in said if ERROR.match(line)), "") if phase == "setup" else (said or [""])[0]
    first = first or (said or [source or "failed"])[0]
    error = ERROR.match(first)
    place = next((each for each in spots if not is_foreign(each.file)), None)
    if place is None and inside:
        place = Spot(inside["file"], int(inside["line"]), None)
    if place is None and not file:
        place = own(spots)
    code = inside.groupdict().get("code") if inside else None
    code = code or kind(error) or next((match["code"] for line in block if (match := _CODE.match(line))), None)
    syntax = phase == "setup" and (code == "SyntaxError" or bool(code and code.startswith("TS1")))
    start = said.index(first) if first in said else 0
    message = "\n".join(said[start : start + _MAX_LINES]) or first
    if inside and inside.groupdict().get("message"):
        message = inside["message"]
    return Diagnostic(
        message,
        place.file if place else file,
        place.line if place else None,
        place.column if place else None,
        code,
        phase="syntax" if syntax else phase,
        test=test,
        tool=tool,
        identity=_identity(said[start:], first),
    )


def _without_advice(said: list[str]) -> list[str]:
    """The lines that tell the error, not how to configure a runner."""
    if not any(_NOISE.match(line) for line in said):
        return said
    start = next((number for number, line in enumerate(said) if line == "Details:"), -1)
    return said[start + 1 :]


def _identity(said: Sequence[str], first: str) -> str:
    """Returns the part that does not depend on the style: the first line without its class, with what was expected and received."""
    kept = [
        line
        for line in said[1:_MAX_LINES]
        if re.match(r"(?:Expected|Received|expected|received|Error message|Snapshot name)\b", line)
    ]
    error = ERROR.match(first)
    return "\n".join([(error["text"] if error else None) or first, *kept])
