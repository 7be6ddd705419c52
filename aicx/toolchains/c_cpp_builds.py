"""make, CMake, ninja and ctest, and the C++ test libraries: what runs the compilers of `c_cpp` and their programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.toolchains.family import Diagnostic, Output, place
from aicx.values import regex

_MAKE = regex(r"(?:\S{0,60}/)?(?:g|mingw32-|re)?make(?:\[\d+\])?: (?P<message>\S.*)$")
_STOPPED = regex(r"\*\*\* (?P<message>.+)$")
_RECIPE = regex(r"\*\*\* (?:\[(?:(?P<file>[^:\]]{1,300}):(?P<line>\d+): )?[^\]]{1,300}\] )(?P<message>.+)$")
_MAKEFILE = regex(r"(?P<file>[^\s:][^:\n]{0,300}):(?P<line>\d+): \*\*\* (?P<message>.+)$")
_NO_PROGRAM = regex(
    r"(?:/bin/)?(?:ba|da|z)?sh: (?:(?:line )?\d+: )?(?P<program>\S{1,200}): (?:command )?not found$|"
    r"g?make(?:\[\d+\])?: (?P<made>\S{1,200}): (?:No such file or directory|Permission denied)$"
)
_CMAKE = regex(
    r"CMake (?P<level>Error|Warning|Deprecation (?:Error|Warning))(?: \(dev\))?"
    r"(?: (?:at|in) (?P<file>[^\s:][^:\n]{0,300}?)(?::(?P<line>\d+))?(?: \((?P<command>\w+)\))?)?:(?P<message>.*)$"
)
_CALL = regex(r"  (?P<file>[^\s:][^:\n]{0,300}):(?P<line>\d+) \(\w+\)$")
_NINJA = regex(r"ninja: (?:error|fatal): (?P<message>.+)$")
# The end of what a sanitizer or clang prints.
_ABORTING = regex(r"(?:==\d+==)?(?P<message>ABORTING|\d+ (?:warnings? and \d+ )?errors? generated\.)$")
_NINJA_FAILED = regex(r"FAILED: (?P<message>.*\S)")
_CMAKE_TOOL = regex(r"(?:CTest )?Error: (?P<message>\S.*)$")

_STARTED = regex(r"\s+Start +(?P<number>\d+): (?P<name>\S.*)$")
_RESULT = regex(
    r"\s*\d+/\d+ Test +#(?P<number>\d+): (?P<name>\S.{0,200}?) \.{2,}+(?P<result>[^.\n].{0,80}?) +[\d.]{1,12} sec"
)
_LISTED = regex(r"\s+(?P<number>\d+) - (?P<name>\S.{0,200}?) \((?P<result>[^()]{1,60})\)(?:\s.*)?$")
_NUMBERED = regex(r"\d{1,6}: ")

_ASSERTIONS = (
    re.compile(
        r"(?:\S{1,200}: )?(?P<file>[^\s:]{1,300}):(?P<line>\d+): .{1,300}?: (?P<message>Assertion [`'].*failed\.)$"
    ),
    re.compile(
        r"(?P<message>Assertion failed: \(.*\)), function .{1,200}, file (?P<file>\S{1,300}), line (?P<line>\d+)\.$"
    ),
    re.compile(r"(?P<message>Assertion failed: .*) \((?P<file>[^\s:()]{1,300}): \w{1,100}: (?P<line>\d+)\)$"),
)
_EXPECTED = regex(
    r"(?P<file>[^\s:(][^:(\n]{0,300})(?::|\()(?P<line>\d+)\)?: (?P<kind>Failure|FAILED:|ERROR: (?:CHECK|REQUIRE)|"
    r"error: Value of|error: Expected|fatal error: in)(?P<message>.*)$"
)
_RUN = regex(r"(?:\[ RUN      \] |TEST CASE: {1,4})(?P<test>\S.*)$")
_DONE = regex(r"\[  (?P<result>FAILED|     OK|SKIPPED) +\] (?P<test>[^\s,]+)")
_VERDICT = regex(
    r"(?P<rate>\d+)% tests passed|(?P<failed>\[  FAILED  \] |(?:g?make|ninja)(?:\[\d+\])?: (?:\*\*\*|build stopped)|"
    r"\d+ (?:warnings? and \d+ )?errors? generated|-- Configuring incomplete)|(?P<ok>\[  PASSED  \] )"
)


def without_numbers(lines: Sequence[str]) -> Sequence[str]:
    """``lines`` without the numbers that `ctest -V` puts before what a test prints."""
    if not any(_STARTED.match(line) for line in lines):
        return lines
    return [line[match.end() :] if (match := _NUMBERED.match(line)) else line for line in lines]


def configured(lines: Sequence[str], system: re.Pattern[str]) -> Iterator[Diagnostic]:
    """Messages of CMake, at the project's call where one of its own modules reports."""
    for at, line in enumerate(lines):
        if not (match := _CMAKE.match(line)):
            continue
        said, calls, calling = [match["message"].strip()], [], False
        for below in lines[at + 1 : at + 80]:
            if below.startswith("Call Stack"):
                calling = True
            elif calling and (call := _CALL.match(below)):
                calls.append(call)
            elif calling or (below.strip() and not below.startswith("  ")):
                break
            else:
                said.append(below.strip())
        spot = match
        if match["file"] and system.match(match["file"]):
            spot = next((call for call in calls if not system.match(call["file"])), match)
        text = "\n".join(part for part in said if part)
        severity = "error" if match["level"].endswith("Error") else "warning"
        yield Diagnostic(text, *place(spot), severity=severity, tool="cmake")


def commands(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Finds the errors of make and ninja themselves."""
    for at, line in enumerate(lines):
        if match := _NO_PROGRAM.match(line):
            recipe = next((found for each in lines[at + 1 : at + 3] if (found := _recipe(each))), None)
            if recipe is None and match["made"] is None:
                continue  # a shell's own error, of no rule
            yield Diagnostic(
                line, *place(recipe), tool="make", identity=f"not found {match['program'] or match['made']}"
            )
        elif match := _MAKEFILE.match(line):
            yield Diagnostic(match["message"], *place(match), phase="syntax", tool="make")
        elif (match := _MAKE.match(line)) and (stopped := _STOPPED.match(match["message"])):
            if not _RECIPE.match(match["message"]):
                yield Diagnostic(stopped["message"], tool="make")
        elif match := (_NINJA.match(line) or _CMAKE_TOOL.match(line)):
            yield Diagnostic(match["message"], tool="ninja" if match.re is _NINJA else "cmake")


def _recipe(line: str) -> re.Match[str] | None:
    match = _MAKE.match(line)
    return _RECIPE.match(match["message"]) if match else None


def wrappers(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """The innermost rule that failed, for an output that says no more."""
    for line in lines:
        if recipe := _recipe(line):
            yield Diagnostic(recipe[0].removeprefix("*** "), *place(recipe), tool="make")
            return
        if match := (_NINJA_FAILED.match(line) or _ABORTING.match(line)):
            yield Diagnostic(match["message"], tool="ninja" if match.re is _NINJA_FAILED else None)
            return


def tested(lines: Sequence[str], found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """``found`` and the tests that failed, each by its assertion where that was printed."""
    asserted = list(_asserted(lines))
    assertions = [each for each, _outer in asserted]
    named = {name for each, outer in asserted for name in (each.test, outer)}
    rest = []
    for test, result, listed in _results(lines):
        if test not in named:
            code = result if listed and re.fullmatch(r"[A-Z]{3,}", result) else None
            rest.append(
                Diagnostic(f"{test} ({result})", code=code, phase="test", test=test, tool="ctest", identity=test)
            )
            named.add(test)
    return [*found, *assertions, *rest]


def _asserted(lines: Sequence[str]) -> Iterator[tuple[Diagnostic, str | None]]:
    """Assertions of the test that was running, and ctest's name of the program that it is in."""
    current: str | None = None
    inner: str | None = None
    for at, line in enumerate(lines):
        if match := (_STARTED.match(line) or _RESULT.match(line)):
            current = match["name"]
        elif match := _RUN.match(line):
            inner = match["test"]
        elif _DONE.match(line):
            inner = None
        elif line.startswith("-" * 79) and at + 2 < len(lines) and lines[at + 2].startswith(("-" * 79, "  ")):
            inner = lines[at + 1] or None  # Catch's heading of a test or of its section
        elif match := next((match for pattern in _ASSERTIONS if (match := pattern.match(line))), None):
            test = inner or current
            yield Diagnostic(match["message"], *place(match), phase="test" if test else "runtime", test=test), current
        elif line == "unknown file: Failure":
            text = "\n".join(_below(lines, at + 1)) or line
            yield Diagnostic(text, phase="test", test=inner or current), current
        elif match := _EXPECTED.match(line):
            said = [match["message"].strip(), *_below(lines, at + 1)]
            if match["kind"].startswith("ERROR: "):
                said[0] = match["kind"].removeprefix("ERROR: ") + said[0]
            text = "\n".join(part for part in said if part) or match["kind"]
            yield Diagnostic(text, *place(match), phase="test", test=inner or current), current


def _below(lines: Sequence[str], start: int) -> Iterator[str]:
    for line in lines[start : start + 12]:
        if not line.strip() or line.startswith(("[", "===")) or _EXPECTED.match(line):
            return
        yield line.strip()


def _results(lines: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """Failed tests and how they ended, from ctest's list at the end, its lines in between, and GoogleTest's."""
    listed = False
    later = []
    for line in lines:
        if line.startswith("The following tests FAILED"):
            listed = True
        elif listed and (match := _LISTED.match(line)):
            if match["result"] not in ("Skipped", "Disabled"):
                yield match["name"], match["result"], True
        elif (match := _RESULT.match(line)) and "***" in match["result"]:
            later.append((match["name"], match["result"].replace("***", " ").strip() or "Failed", False))
        elif (match := _DONE.match(line)) and match["result"] == "FAILED" and " ms)" in line:
            later.append((match["test"], "FAILED", False))
    yield from later


def failed(output: Output) -> bool | None:
    """Whether the last word of make, ninja, CMake or a test runner was failure."""
    said: bool | None = None
    for line in output.lines:
        if match := _VERDICT.match(line):
            broken = bool(match["failed"]) or (match["rate"] is not None and match["rate"] != "100")
            said = bool(said) or broken
    return said
