"""Reads the output of Vitest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aicx.toolchains import javascript_errors as stacks
from aicx.toolchains.family import Diagnostic, Output
from aicx.toolchains.javascript_errors import error_of
from aicx.values import regex

NAME = "vitest"
_HEAD = regex(
    r"\s*FAIL\s{1,4}(?P<project>\|[^|\n]{1,60}\| |\S{1,40} (?=\S+\.\w+ [>\[]))?(?P<file>\S+\.[\w]{1,6})(?: \[ .* \]| (?P<name>> .+?))?\s*$"
)
_RULE = regex(r"⎯{3,}(?:\[(?P<at>\d+)/\d+\]⎯+)?\s*$")
_TITLE = regex(r"⎯{2,}\s+(?P<name>\S.*?)\s+⎯{2,}$")
_LISTED = regex(r"\s*(?:×|✗|❯|FAIL) (?P<name>\S.* > \S.*?)(?: \d[\d.]*ms| \d[\d.]*s)?(?: \(retry x\d+\))?\s*$")
_SAID = regex(r"\s*→ (?P<message>.+)$")
_LISTED_FILE = regex(r"\s*(?:❯|×|✓)\s(?P<file>\S+\.[cm]?[jt]sx?)\s+[(\[]")
_RUN = regex(r"\s*RUN\s+v\d")
_TOTALS = regex(r"\s*(?:Test Files|Tests|Suites)\s{2,}(?P<rest>.*\(\d+\)|no tests)\s*$")
_ERRORS = regex(r"\s*Errors\s{2,}\d+ errors?\s*$")
_ALONE = regex(
    r"(?P<message>No test files found.*|ERROR: Coverage for .* does not meet .*|Error: .*vitest.*config.*|No projects matched .*)"
)
_STARTUP = ("Startup Error", "Unhandled Error", "Unhandled Rejection", "Uncaught Exception", "Typecheck Error")


def found(output: Output) -> Iterator[Diagnostic]:
    """Each failing test once, each suite that could not run, each error outside a test."""
    heads: list[tuple[str, str | None]] = []
    block: list[str] = []
    outside, nothing = False, True
    cut = not any(_RUN.match(line) for line in output.lines)
    for line in (*output.lines, "⎯" * 9):
        head = _HEAD.match(line) if "FAIL" in line else None
        title = _TITLE.match(line) if line.startswith("⎯") else None
        if not (head or title or _RULE.match(line)):
            block.append(line)
            continue
        for each in _close(heads, block, outside, cut, rule=not (head or title)):
            nothing = False
            yield each
        filled = any(text.strip() for text in block)
        if head:
            heads = [] if filled else heads
            heads.append((head["file"], head["name"]))
        else:
            heads = []
        outside = bool(title and title["name"].startswith(_STARTUP))
        cut = False
        block = []
    if nothing:
        yield from _from_list(output)


def _close(
    heads: list[tuple[str, str | None]], block: list[str], outside: bool, cut: bool, rule: bool
) -> Iterator[Diagnostic]:
    """The errors of a block that has ended; several tests may share one."""
    if not any(line.strip() for line in block):
        return
    for file, name in heads:
        test = f"{file} {name}" if name else None
        yield error_of(block, test, file, phase="test" if name else "setup", tool=NAME)
    if not heads and outside and any(stacks.ERROR.match(line) for line in block):
        yield error_of(_from_error(block), None, None, phase="runtime", tool=NAME)
    elif not heads and cut and rule and any("❯" in line and stacks.spot(line) for line in block):
        yield error_of(_from_error(block), None, None, tool=NAME)


def _from_error(block: list[str]) -> list[str]:
    start = next((number for number, line in enumerate(block) if stacks.ERROR.match(line)), None)
    if start is None:
        start = next((number for number, line in enumerate(block) if "❯" in line), 0)
    return block[start:]


def _from_list(output: Output) -> Iterator[Diagnostic]:
    """The tests marked in the list, where the messages were cut; else why nothing ran."""
    file: str | None = None
    lines = output.lines
    for position, line in enumerate(lines):
        if match := _LISTED_FILE.match(line):
            file = match["file"]
        elif match := _LISTED.match(line):
            said = _SAID.match(lines[position + 1]) if position + 1 < len(lines) else None
            name = match["name"]
            test = name if file is None or name.startswith(file) else f"{file} > {name}"
            yield Diagnostic(said["message"] if said else name, file, phase="test", test=test, tool=NAME)
        elif match := _ALONE.match(line.strip()):
            yield Diagnostic(match["message"], phase="setup", tool=NAME)


def failed(output: Output) -> bool | None:
    """Tells from the totals whether a test failed; None without them."""
    said = None
    for line in output.lines[-200:]:
        if _ERRORS.match(line):
            return True
        if match := _TOTALS.match(line):
            said = bool(said) or re.search(r"\d failed", match["rest"]) is not None
    return said


def marks(output: Output) -> int:
    """How many lines only Vitest writes."""
    count = 0
    for line in output.lines:
        if "⎯⎯⎯" in line or "FAIL  " in line:
            count += bool(_RULE.match(line) or _TITLE.match(line) or _HEAD.match(line))
        elif "Tests  " in line or "Test Files  " in line:
            count += bool(_TOTALS.match(line))
        elif "RUN " in line:
            count += 2 * bool(_RUN.match(line))
    return count
