"""Failed tests of Ruby: RSpec, minitest and test-unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from aicx.toolchains.family import Diagnostic, place
from aicx.toolchains.json_documents import number, rows, word
from aicx.values import regex

FILE = r"[^\s:\[\]()][^:\n]{0,300}"
LIBRARY = regex(
    r"<internal:|/usr/|/opt/|.*/(?:gems|rubygems|rubygems-integration|\.rbenv|\.rvm|\.asdf)/|.*/lib/ruby/|"
    r".*/vendor/bundle/|\(eval"
)
SYNTAX = regex(rf"(?P<file>{FILE}):(?P<line>\d+): (?P<message>(?:syntax error|.*\bunexpected |.*unterminated ).*)$")
_EXAMPLE = regex(r"\s{2,4}(?P<number>\d+(?:\.\d+)?)\) (?P<name>\S.*)$")
_PART = regex(r"\s+\d+\.\d+\) (?P<rest>(?:Failure/Error:|[A-Z]).*)$")
_OUTSIDE = regex(r"An error occurred (?:while loading (?P<file>\S+?\.rb)|in |outside ).*$")
_COMMENTED_FRAME = regex(r"\s*# (?P<file>\S[^:\n]{0,300}):(?P<line>\d+)(?::in .*)?$")
_CLASS_LINE = regex(r"\s+(?P<code>[A-Z]\w*(?:::[A-Z]\w*)*):$|(?P<outer>[A-Z]\w*(?:::[A-Z]\w*)*):$")
_END_OF_EXAMPLES = regex(r"Finished in |Failed examples:|\d+ examples?, |Randomized with|Top \d+ slowest|Pending:")
RERUN = regex(r"rspec (?:'(?P<quoted>[^']{1,300})'|(?P<file>[^\s:\[]{1,300})(?::(?P<line>\d+))?\S*) # (?P<name>.+)$")
_UNIT = regex(r"\s*(?:\d+\) )?(?P<kind>Failure|Error|Skipped):$")
_UNIT_TEST = regex(rf"(?P<test>[A-Z][^\s#]{{0,200}}#\S.{{0,200}}?)(?: \[(?P<file>{FILE}):(?P<line>\d+)\])?:$")
FRAME = regex(rf"\s*(?P<file>{FILE}):(?P<line>\d+):in [`'].*$")
_TEST_UNIT = regex(
    r"(?P<kind>Failure|Error): (?P<name>\S[^()]{0,200})\((?P<owner>[\w:]{1,200})\)(?:: (?P<code>[\w:]+): "
    r"(?P<message>.*))?$"
)
_EXCERPT = regex(r"\s+(?:=> )?\d+: ")
UNIT_TOTAL = regex(r"\d+ (?:runs|tests), \d+ assertions, (?P<failures>\d+) failures, (?P<errors>\d+) errors")


def own_frame(frames: Sequence[re.Match[str]]) -> re.Match[str] | None:
    return next((frame for frame in frames if not LIBRARY.match(frame["file"])), None)


def json_example(example: dict[str, Any]) -> Diagnostic:
    exception = next(iter(rows(example.get("exception") or [])), {})
    frames = [match for line in exception.get("backtrace") or () if (match := FRAME.match(str(line)))]
    spot = own_frame(frames)
    where = place(spot) if spot else (word(example.get("file_path")), number(example.get("line_number")))
    said, test = str(exception.get("message")).strip(), str(example.get("full_description"))
    return Diagnostic(said, *where, code=word(exception.get("class")), phase="test", test=test, tool="rspec")


def examples(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Failed examples of RSpec's report, and errors outside of them; pending ones fail as expected."""
    pending, position = False, 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line in ("Failures:", "Pending: (Failures listed here are expected and do not affect your suite's status)"):
            pending = line != "Failures:"
        example, outside = _EXAMPLE.match(line), _OUTSIDE.match(line)
        if not example and not outside:
            continue
        start = position
        while position < len(lines):
            below = lines[position]
            following = _EXAMPLE.match(below)
            if (following and "." not in following["number"]) or _END_OF_EXAMPLES.match(below) or _OUTSIDE.match(below):
                break
            if below.startswith("Failures:") or (outside and below.startswith("No examples found")):
                break
            position += 1
        block = lines[start:position]
        if pending or not any("Failure/Error:" in each or _COMMENTED_FRAME.match(each) for each in block):
            continue
        if example:
            yield from _failures(example["name"], block)
        elif outside:
            yield from _failures(None, block, outside["file"])


def _failures(test: str | None, block: Sequence[str], file: str | None = None) -> Iterator[Diagnostic]:
    """The failures of one example; aggregated ones are numbered below it."""
    parts = [at for at, line in enumerate(block) if _PART.match(line)]
    for start, end in zip(parts or [0], [*parts[1:], len(block)], strict=True):
        yield _failure(test, block[start:end], file)


def _failure(test: str | None, block: Sequence[str], file: str | None) -> Diagnostic:
    said, frames, code = [], [], None
    for line in block:
        if frame := _COMMENTED_FRAME.match(line):
            frames.append(frame)
        elif line.lstrip().startswith("# --- Caused by"):
            break
        elif not line.lstrip().startswith("# "):
            if code is None and (match := _CLASS_LINE.match(line)) and line.strip() != "Diff:":
                code = match["code"] or match["outer"]
            said.append(line.strip())
    text = "\n".join(line for line in said if line)
    text = text.partition("Failure/Error: ")[2] or text
    syntax = next((match for line in said if code == "SyntaxError" and (match := SYNTAX.match(line))), None)
    spot = syntax or own_frame(frames)
    where = place(spot) if spot else (file, None)
    phase = "test" if test else "runtime"
    return Diagnostic(
        text, *where, code=code, phase=phase, test=test, tool="rspec", identity=_without_source(text, code)
    )


def _without_source(text: str, code: str | None) -> str:
    """The message alone, as the JSON style has it: below the line of the source and the exception's class."""
    if code and f"\n{code}:\n" in text:
        return text.partition(f"\n{code}:\n")[2]
    return text.partition("\n")[2] or text


def rerun(lines: Sequence[str], known: set[str]) -> Iterator[Diagnostic]:
    """Examples of the list for running them again whose report was cut off."""
    for line in lines:
        if (match := RERUN.match(line)) and match["name"] not in known:
            yield Diagnostic(f"{match['name']} failed", *place(match), phase="test", test=match["name"], tool="rspec")


def units(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Failures and errors as minitest, Rails and test-unit report them."""
    for at, line in enumerate(lines):
        if (match := _UNIT.match(line)) and at + 1 < len(lines):
            test = _UNIT_TEST.match(lines[at + 1])
            if test and match["kind"] != "Skipped":
                yield _unit(test, match["kind"] == "Error", _until_next(lines, at + 2))
        elif match := _TEST_UNIT.match(line):
            block = _until_next(lines, at + 1)
            frame = own_frame([frame for each in block if (frame := FRAME.match(each))])
            said = [each for each in block if not FRAME.match(each) and not _EXCERPT.match(each)]
            message = match["message"] or "\n".join(said).strip()
            test_name = f"{match['owner']}#{match['name']}"
            yield Diagnostic(message, *place(frame), code=match["code"], phase="test", test=test_name, tool="test-unit")


def _until_next(lines: Sequence[str], start: int) -> Sequence[str]:
    end = start
    while end < len(lines) and end < start + 200:
        line = lines[end]
        if _UNIT.match(line) or UNIT_TOTAL.match(line) or line.startswith(("====", "bin/rails test ", "rails test ")):
            break
        end += 1
    return lines[start:end]


def _unit(test: re.Match[str], error: bool, block: Sequence[str]) -> Diagnostic:
    frames = [frame for line in block if (frame := FRAME.match(line))]
    said = []
    for line in block:
        if FRAME.match(line) or line.startswith("---Backtrace"):
            break
        said.append(line)
    text, code = "\n".join(said).strip(), None
    if error and (match := re.match(r"(?P<code>[A-Z]\w*(?:::\w+)*): ", text)):
        code = match["code"]
    where = place(test) if test["file"] else place(own_frame(frames))
    return Diagnostic(text, *where, code=code, phase="test", test=test["test"], tool="minitest")
