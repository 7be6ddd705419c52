"""Reads the output of Jest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from aicx.toolchains.family import Diagnostic, Output
from aicx.toolchains.javascript_errors import error_of
from aicx.values import regex

NAME = "jest"
_FILE = regex(
    r"\s*(?P<state>FAIL|PASS|RUNS)\s+(?:\S{1,80}\s+)??(?P<file>\S+\.(?:[cm]?[jt]sx?|snap|vue|svelte))(?:\s+\([^()\n]*\))?\s*$"
)
_HEAD = regex(r"\s{0,4}● (?P<name>\S.*?)\s*$")
_TOTALS = regex(r"(?P<what>Test Suites|Tests|Snapshots):\s+(?:(?P<failed>\d+) failed)?.*\d+ total")
_LISTED = regex(r"\s*(?:✕|×) (?P<name>.+?)(?: \(\d[\d.]* ?m?s\))?\s*$")
_ENDS = ("Test Suites:", "Summary of all failing tests", "Snapshot Summary")
_NOT_FAILING = (
    "Console",
    "Deprecation Warning",
    "Validation Warning",
    "Multiple configurations",
    "Cannot log after tests",
)
_ALONE = (
    re.compile(r"(?P<message>No tests found.*exiting with code 1)"),
    re.compile(r"(?:Jest: )(?P<message>.* coverage threshold for .* not met: .*|Coverage .* not met.*)"),
    re.compile(r"(?P<message>Error: .*(?:jest\.config|preset|Preset|resolve the (?:test|setup)).*)"),
)


def found(output: Output) -> Iterator[Diagnostic]:
    """Each failing test once, and each suite that could not run."""
    file: str | None = None
    name: str | None = None
    block: list[str] = []
    seen: set[tuple[str | None, str | None]] = set()
    nothing = True
    cut = True  # until the first heading: what is above may have been cut
    for line in (*output.lines, "Test Suites:"):
        head = _HEAD.match(line) if "●" in line else None
        heading = _FILE.match(line) if "FAIL" in line or "PASS" in line or "RUNS" in line else None
        if not (head or heading or line.startswith(_ENDS)):
            block.append(line)
            continue
        each = _close(name, file, block, cut and head is None and heading is None)
        if each and (file, name) not in seen:
            seen.add((file, name))
            nothing = False
            yield each
        if heading and heading["state"] != "RUNS":
            file = heading["file"]
        cut = cut and line.startswith("Test Suites:") and False
        name, block = head["name"] if head else None, []
    if nothing:
        yield from _from_list(output)


def _close(name: str | None, file: str | None, block: list[str], cut: bool) -> Diagnostic | None:
    """The error of a block that has ended; of one without its heading only where its source or stack is left."""
    if name is None:
        if not cut or not any(re.match(r"\s*> ?\d+ \|", line) for line in block):
            return None
        return error_of(_frame_only(block), None, None, tool=NAME)
    if name.startswith(_NOT_FAILING):
        return None
    suite = name == "Test suite failed to run" or name.endswith(":")
    found = error_of(block, None, file, phase="setup" if suite else "test", tool=NAME)
    return found if suite else replace(found, test=_test(file or _test_file(found.file), name))


def _test(file: str | None, name: str) -> str:
    return f"{file} › {name}" if file else name


def _test_file(file: str | None) -> str | None:
    """The file of a test whose heading was cut, where its stack ends in a file of tests."""
    return file if file and re.search(r"\.(?:test|spec)\.\w+$|__tests__/", file) else None


def _frame_only(block: list[str]) -> list[str]:
    """The source and the stack of a block whose beginning was cut."""
    start = next((number for number, line in enumerate(block) if re.match(r"\s*(?:> ?)?\d+ \|", line)), 0)
    return block[start:]


def _from_list(output: Output) -> Iterator[Diagnostic]:
    """The tests marked in the list, where the messages were cut; else why nothing ran."""
    file: str | None = None
    nothing = True
    for line in output.lines:
        if heading := _FILE.match(line):
            file = heading["file"]
        elif match := _LISTED.match(line):
            nothing = False
            yield Diagnostic(match["name"], file, phase="test", test=_test(file, match["name"]), tool=NAME)
    for line in output.lines:
        match = next((match for pattern in _ALONE if (match := pattern.match(line.strip()))), None)
        if match:
            nothing = False
            yield Diagnostic(match["message"], phase="test" if "threshold" in line else "setup", tool=NAME)
    failing = [match for line in output.lines if (match := _FILE.match(line)) and match["state"] == "FAIL"]
    for match in failing if nothing else []:
        yield Diagnostic(f"{match['file']} failed", match["file"], phase="test", tool=NAME)


def failed(output: Output) -> bool | None:
    """Tells from the totals whether a test failed; None without them."""
    for line in reversed(output.lines[-200:]):
        if (match := _TOTALS.match(line.strip())) and match["what"] != "Snapshots":
            if match["failed"]:
                return True
            if match["what"] == "Test Suites":
                return False
    return None


def marks(output: Output) -> int:
    """How many lines only Jest writes."""
    count = 0
    for line in output.lines:
        if "●" in line:
            count += bool(_HEAD.match(line))
        elif line.startswith(("Test Suites:", "Tests:", "Snapshots:")):
            count += bool(_TOTALS.match(line))
        elif "FAIL" in line or "PASS" in line:
            count += bool(re.match(r"(?:FAIL|PASS) \S", line) and _FILE.match(line))
    return count
