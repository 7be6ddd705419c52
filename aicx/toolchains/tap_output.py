"""Reads the output of `node --test`, of other writers of TAP, and of bun's and Deno's runners."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, stable_file
from aicx.toolchains.javascript_errors import ERROR, crashes, error_of
from aicx.values import regex

NAME = "node:test"
_LISTED = regex(r"(?P<indent>\s*)✖ (?P<name>\S.*?)(?: \([\d.]+ms\))?\s*$")
_AT = regex(r"\s*test at (?P<file>\S.*?):(?P<line>\d+):(?P<column>\d+)$")
_NOT_OK = regex(r"(?P<indent>\s*)not ok(?: \d+)?(?: -)? ?(?P<name>.*?)(?: # (?P<directive>\w+).*)?$")
_FIELD = regex(r"\s*(?P<name>location|error|code|name|failureType|stack|at|message|file|line): ?(?P<value>.*)$")
_SPOT = regex(r"(?:file://)?(?P<file>[^\s():'\"]{1,500}):(?P<line>\d+):(?P<column>\d+)")
_BUN = regex(r"\(fail\) (?P<name>.+?)(?: \[[\d.]+ ?m?s\])?$")
_BETWEEN = "# Unhandled error between tests"
_BUN_FILE = regex(r"(?P<file>\S+\.[cm]?[jt]sx?):$")
_DENO = regex(r"(?P<name>\S.*?) => (?P<file>\S+?):(?P<line>\d+):(?P<column>\d+)$")
_TOTALS = regex(
    r"\s*(?:[ℹ#] fail (?P<fail>\d+)|(?P<bun>\d+) fail|(?:ok|FAILED) \| \d+ passed.* \| (?P<deno>\d+) failed.*)\s*$"
)


def found(output: Output) -> Iterator[Diagnostic]:
    """Each failing test, without the suites that failed only with it."""
    lines = output.lines
    if any(line.lstrip().startswith("not ok") for line in lines):
        yield from _tap(lines)
        return
    start = next((number for number, line in enumerate(lines) if line.strip() == "✖ failing tests:"), None)
    if start is not None or any(_LISTED.match(line) for line in lines):
        yield from _listed(lines[(start or -1) + 1 :])
        return
    yield from _bun(lines)
    yield from _deno(lines)


def _listed(lines: Sequence[str]) -> Iterator[Diagnostic]:
    heads = [number for number, line in enumerate(lines) if _LISTED.match(line)]
    for begin, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        match = _LISTED.match(lines[begin])
        at = _AT.match(lines[begin - 1]) if begin else None
        block = [line for line in lines[begin + 1 : end] if not _AT.match(line)]
        if match is None or not any(line.strip() for line in block) or re.search(r"# (?:TODO|SKIP)\b", match["name"]):
            continue
        file = at["file"] if at else None
        told = [line.removeprefix("  ") for line in block]  # up to the blank line and the next test's place
        yield error_of(told, f"{stable_file(file)} > {match['name']}" if file else match["name"], file, tool=NAME)


def _tap(lines: Sequence[str]) -> Iterator[Diagnostic]:
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("not ok")]
    beside = [line.removeprefix("# ") for line in lines if line.startswith("# ")]
    for begin, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        match = _NOT_OK.match(lines[begin])
        if match is None or (match["directive"] or "").upper() in ("TODO", "SKIP"):
            continue
        fields = _fields(lines[begin + 1 : end])
        if "subtestsFailed" in fields.get("failureType", ""):
            continue
        text = "\n".join(filter(None, [fields.get("stack"), fields.get("at"), fields.get("location")]))
        own = [
            spot for spot in _SPOT.finditer(text) if "node_modules" not in spot["file"] and ":" not in spot["file"][:5]
        ]
        place = own[0] if own else None
        error, name = fields.get("error") or fields.get("message") or match["name"], fields.get("name", "")
        if error == "test failed" and (crash := next(crashes(beside), None)):
            yield crash
            continue
        code = fields.get("code", "").replace("ERR_TEST_FAILURE", "") or (name if name != "Error" else "")
        test = (
            match["name"]
            if ">" in match["name"]
            else f"{stable_file(place['file'])} > {match['name']}"
            if place
            else match["name"]
        )
        yield Diagnostic(
            f"{name}: {error}" if name else error,
            place["file"] if place else None,
            int(place["line"]) if place else None,
            int(place["column"]) if place else None,
            code or None,
            phase="test",
            test=test or None,
            tool=NAME if "duration_ms" in "".join(lines[begin + 1 : begin + 4]) else "tap",
            identity=error.partition("\n")[0],
        )


def _fields(block: Sequence[str]) -> dict[str, str]:
    """The fields of the YAML below a failing point, each as text; of several lines only where it says so."""
    fields: dict[str, str] = {}
    open_field: str | None = None
    indent = 0
    for line in block[:200]:
        if line.strip() == "...":
            break
        if open_field and (not line.strip() or len(line) - len(line.lstrip()) > indent):
            fields[open_field] = f"{fields[open_field]}\n{line.strip()}".strip()
            continue
        open_field = None
        if match := _FIELD.match(line):
            value = match["value"].strip()
            indent = len(line) - len(line.lstrip())
            open_field = match["name"] if value in ("|-", "|", ">-", ">") else None
            fields.setdefault(match["name"], "" if open_field else value.strip("'\""))
    return fields


def _bun(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """bun prints an error before the test's name."""
    file, start = None, 0
    for number, line in enumerate(lines):
        if line.startswith(_BETWEEN):
            yield _between(lines[number + 1 : number + 60], file)
        elif match := _BUN_FILE.match(line):
            file, start = match["file"], number + 1
        elif match := _BUN.match(line):
            block = list(lines[start:number])
            begin = next((at for at, text in enumerate(block) if text.startswith("error: ") or ERROR.match(text)), 0)
            block[begin : begin + 1] = [block[begin].removeprefix("error: ")] if block else []
            yield error_of(block[begin:], f"{file} > {match['name']}" if file else match["name"], file, tool="bun")
            start = number + 1
        elif line.startswith(("(pass)", "(skip)")):
            start = number + 1


def _between(block: Sequence[str], file: str | None) -> Diagnostic:
    """An error outside a test, up to the second rule."""
    rules = [number for number, line in enumerate(block) if line.startswith("-----")]
    inside = block[rules[0] + 1 : rules[1]] if len(rules) > 1 else block
    said = [line.removeprefix("error: ") for line in inside]
    begin = next((number for number, line in enumerate(inside) if line.startswith("error: ")), 0)
    return error_of(said[begin:], None, file, phase="setup", tool="bun")


def _deno(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for number, line in enumerate(lines[:-1]):
        if (match := _DENO.match(line)) and lines[number + 1].startswith("error: "):
            block = [lines[number + 1].removeprefix("error: "), *lines[number + 2 : number + 40]]
            end = next((at for at, text in enumerate(block) if at and _DENO.match(text)), len(block))
            yield error_of(block[:end], f"{match['file']} > {match['name']}", match["file"], tool="deno")


def failed(output: Output) -> bool | None:
    """Tells from the totals whether a test failed; None without them."""
    for line in reversed(output.lines[-200:]):
        if match := _TOTALS.match(line):
            return (match["fail"] or match["bun"] or match["deno"]) != "0"
    return None


def marks(output: Output) -> int:
    """How many lines only these runners write."""
    count = 0
    for line in output.lines:
        if "fail" in line:
            count += 2 * bool(_TOTALS.match(line)) + bool(_BUN.match(line)) + 2 * (line.strip() == "✖ failing tests:")
        elif "not ok" in line:
            count += bool(_NOT_OK.match(line))
        elif line.startswith("TAP version"):
            count += 1
    return count
