"""One failing test of a JavaScript runner: its message, and the place that its stack names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aicx.toolchains import javascript_stacks as stacks
from aicx.toolchains.family import Diagnostic

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


def error_of(
    block: Sequence[str], test: str | None, file: str | None, phase: str = "test", tool: str | None = None
) -> Diagnostic:
    """The error that a test's lines tell: the message up to the source or the stack, and the deepest own place."""
    said: list[str] = []
    spots: list[stacks.Spot] = []
    source = ""
    talking = True
    for position, line in enumerate(block):
        if _SOURCE.match(line) or _CARET.match(line):
            talking = False
            if marked := _MARKED.match(line):
                source = source or marked["source"].strip()
            elif _CARET.match(line) and position and not source:
                source = re.sub(r"^\s*\d+ ?\|", "", block[position - 1]).strip()
        elif stacks.is_frame(line):
            talking = False
            if each := stacks.spot(line):
                spots.append(each)
        elif talking and line.strip() and len(said) < 40:
            said.append(line.strip())
    inside = next((match for line in block for pattern in _IN_MESSAGE if (match := pattern.match(line.strip()))), None)
    said = _without_advice(said)
    first = next((line for line in said if stacks.ERROR.match(line)), "") if phase == "setup" else (said or [""])[0]
    first = first or (said or [source or "failed"])[0]
    error = stacks.ERROR.match(first)
    place = next((each for each in spots if not stacks.is_foreign(each.file)), None)
    if place is None and inside:
        place = stacks.Spot(inside["file"], int(inside["line"]), None)
    if place is None and not file:
        place = stacks.own(spots)
    code = inside.groupdict().get("code") if inside else None
    code = code or stacks.kind(error) or next((match["code"] for line in block if (match := _CODE.match(line))), None)
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
    error = stacks.ERROR.match(first)
    return "\n".join([(error["text"] if error else None) or first, *kept])
