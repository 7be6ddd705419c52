"""Reads the output of unittest, and of those that print as it does: Django's runner, nose, trial, doctest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output
from aicx.toolchains.python_tracebacks import SYNTAX, tracebacks
from aicx.values import regex

NAME = "unittest"
_HEAD = regex(
    r"(?P<kind>FAIL|ERROR|UNEXPECTED SUCCESS): (?P<test>[\w<>]\S*(?: \([^()\n]{1,300}\))?)(?P<sub> [\[(].*)?(?:\s.*)?$"
)
_RULE = regex(r"[=-]{50,}$")
_TOTALS = regex(r"(?:FAILED \((?:failures|errors|unexpected successes|skipped)=\d|OK(?: \(|$))")
_EXAMPLE = regex(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<name>\S+)')
_STARS = regex(r"\*{50,}$")


def failed(output: Output) -> bool | None:
    """Tells from the last line whether a test failed; None without one."""
    for line in reversed(output.lines[-100:]):
        if match := _TOTALS.match(line):
            return match[0].startswith("FAILED")
        if line.startswith("***Test Failed***"):
            return True
    return None


def marks(output: Output) -> int:
    """How many lines only unittest writes."""
    heads = sum(1 for line in output.lines if line.startswith(("FAIL: ", "ERROR: ")) and _HEAD.match(line))
    ran = sum(2 for line in output.lines if re.match(r"Ran \d+ tests? in [\d.]+s$", line))
    return heads * bool(any(_RULE.match(line) for line in output.lines)) + ran + bool(_doctests(output.lines))


def found(output: Output) -> Iterator[Diagnostic]:
    """Each failing test and each module that could not be imported."""
    lines = output.lines
    starts = [number for number, line in enumerate(lines) if line.startswith(("FAIL", "ERROR")) and _HEAD.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        match = _HEAD.match(lines[start])
        if match:
            yield _test(match, lines[start + 1 : end])
    yield from _doctests(lines)


def _test(match: re.Match[str], block: Sequence[str]) -> Diagnostic:
    errors = list(tracebacks(block))
    error = errors[0] if errors else None
    name, _, owner = match["test"].rstrip(")").partition(" (")
    test = owner if owner.endswith("." + name) or owner == name else f"{owner}.{name}" if owner else name
    imported = "_FailedTest" in match["test"]
    if imported:
        error = errors[-1] if errors else None
    kind = error.kind if error else ""
    place = error.place if error else None
    phase = "syntax" if kind in SYNTAX else "setup" if imported or name.startswith(("setUp", "tearDown")) else "test"
    return Diagnostic(
        error.message if error else match[0],
        place.file if place else None,
        place.line if place else None,
        code=kind or None,
        phase=phase,
        test=test.replace("unittest.loader._FailedTest.", "") + (match["sub"] or ""),
        identity=error.message.partition("\n")[0].removeprefix("AssertionError: ") if error else None,
    )


def _doctests(lines: Sequence[str]) -> list[Diagnostic]:
    """The failed examples that `python -m doctest` prints between rules of stars."""
    rows = []
    for number, line in enumerate(lines[:-1]):
        if not _STARS.match(line) or not (match := _EXAMPLE.match(lines[number + 1])):
            continue
        block = []
        for text in lines[number + 2 : number + 14]:
            if _STARS.match(text):
                break
            block.append(text.strip())
        said = " ".join(text for text in block if text and text != "Failed example:")
        rows.append(
            Diagnostic(said, match["file"], int(match["line"]), phase="test", test=match["name"], tool="doctest")
        )
    return rows
