"""Reads the output of Mocha, and of tools that number failures as it does: Cypress, Playwright, Jasmine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aicx.toolchains.family import Diagnostic, Output
from aicx.toolchains.javascript_errors import error_of
from aicx.values import regex

NAME = "mocha"
_HEAD = regex(r"\s{0,4}(?P<number>\d{1,5})\) (?P<name>\S.*?)\s*$")
_PLAYWRIGHT = regex(
    r"(?:\[(?P<project>[^\]\n]+)\] › )?(?P<file>\S+?):(?P<line>\d+):(?P<column>\d+) › (?P<name>.+?)[ ─]*$"
)
_TOTALS = regex(r"\s*(?P<count>\d+) (?P<what>passing|failing|pending|failed|passed)(?: \([\d.]+ ?\w+\))?\s*$")
_MAX_TITLE = 12  # lines that one failing test's suites and name take


def found(output: Output) -> Iterator[Diagnostic]:
    """Each failing test of the list at the end."""
    lines = output.lines
    start = next((number for number, line in enumerate(lines) if re.match(r"\s*\d+ failing\s*$", line)), None)
    playwright = start is None and any("› " in line for line in lines)
    position = 0 if start is None else start + 1
    heads = [number for number in range(position, len(lines)) if _is_head(lines[number], playwright)]
    seen: set[str] = set()
    for begin, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        each = (
            _playwright(lines[begin], lines[begin + 1 : end]) if playwright else _mocha(lines[begin:end], start is None)
        )
        if each and (each.test or "") not in seen:
            seen.add(each.test or "")
            yield each


def _is_head(line: str, playwright: bool) -> bool:
    match = _HEAD.match(line)
    return match is not None and (not playwright or "› " in line)


def _playwright(head: str, block: tuple[str, ...]) -> Diagnostic | None:
    match = _PLAYWRIGHT.match(head.strip().partition(") ")[2])
    if match is None:
        return None
    inside = [line for line in block if not re.match(r"\s*(?:attachment #|─{5,}|Retry #|Error Context:)", line)]
    return error_of(inside, f"{match['file']} › {match['name']}", match["file"], tool="playwright")


def _mocha(block: tuple[str, ...], listed: bool) -> Diagnostic | None:
    """One numbered failure: the suites and the name up to a colon, a blank line, the error."""
    title: list[str] = []
    for line, after in zip(block[:_MAX_TITLE], (*block[1:], ""), strict=False):
        if not line.strip():
            break
        title.append(line.strip())
        if line.rstrip().endswith(":") and _indent(after) <= _indent(line):  # what follows is the error, not a name
            break
    if not title or not title[-1].endswith(":"):
        return None
    title[0] = title[0].partition(") ")[2]
    name = " › ".join(title).rstrip(":")
    body = [line for line in block[len(title) :] if line.strip() not in ("+ expected - actual", "Message:", "Stack:")]
    if listed and not any(line.strip() for line in body):
        return None
    outside = name.startswith("Uncaught error outside test suite")
    return error_of(body, None if outside else name, None, phase="setup" if outside or '" hook' in name else "test")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 0


def failed(output: Output) -> bool | None:
    """Tells from the totals whether a test failed; None without them."""
    said = None
    for line in output.lines:
        if match := _TOTALS.match(line):
            said = bool(said) or (match["what"] in ("failing", "failed") and match["count"] != "0")
    return said


def marks(output: Output) -> int:
    """How many lines only these runners write."""
    totals = sum(
        2 for line in output.lines if (match := _TOTALS.match(line)) and match["what"] in ("passing", "failing")
    )
    shown = sum(
        2
        for line in output.lines
        if "› " in line and _HEAD.match(line) and _PLAYWRIGHT.match(line.strip().partition(") ")[2])
    )
    return totals + shown
