"""Failed tests of PHP: the lists of PHPUnit, its other styles, and Pest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aicx.toolchains.family import Diagnostic, place
from aicx.values import regex

FOREIGN = regex(r".*/vendor/|/usr/share/(?:php|composer)/|phar://")
_SECTION = regex(
    r"There (?:was|were) \d+ (?:PHPUnit )?(?:test runner )?(?P<kind>errors?|failures?|warnings?|risky tests?|"
    r"incomplete tests?|skipped tests?|deprecations?|notices?)|\d+ tests? triggered \d+ (?P<triggered>.*):$"
)
_SEVERITIES = {"error": "error", "failure": "error", "warning": "warning"}
_ITEM = regex(r"\d+\) (?P<test>[\w\\]{1,300}(?:::\w{1,200}.{0,300})?)$")
_PLACE = regex(r"(?P<file>/?[^\s:][^:\n]{0,300}\.(?:php|phpt|inc)):(?P<line>\d+)$")
_KIND = regex(r"(?P<code>[A-Z]\w*(?:\\\w+)*): ")
_DATA = regex(r"(?P<set> with data set (?:#\d+|\"(?:[^\"\\]|\\.){0,200}\"|@?\S+)).*$")
_END = regex(r"--$|FAILURES!$|ERRORS!$|WARNINGS!$|Tests: \d+, |OK(?:,| \()|Generating code coverage|Time: ")
_DOX = regex(r"(?:.*[^ ])? ?✘ (?P<test>\S.*)$")
_DOX_CLASS = regex(r"(?P<name>\S[^│✔✘↩∅☢⚠]{0,200}?)(?: \([\w\\]+\))?$")
_TEAMCITY = regex(r"##teamcity\[(?P<event>testFailed|testStarted) (?P<rest>.*)\]$")
_ATTRIBUTE = regex(r"\b(\w{1,40})='((?:[^'|]|\|.)*)'")
_ESCAPED = regex(r"\|(n|r|'|\||\[|\]|0x[0-9a-fA-F]{4})")
_PEST = regex(
    r"\s{0,4}(?:FAILED|•)\s+(?P<owner>[\w\\]{1,300}) (?:>|\u203a) (?P<name>\S.{0,300}?)(?:\s{2,9}(?P<code>\w+))?$"
)
_PEST_AT = regex(r"\s*at (?P<file>\S[^:\n]{0,300}\.php):(?P<line>\d+)$")


def tests(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """PHPUnit's numbered list. Skipped, incomplete and risky tests are listed in the same way."""
    severity: str | None = "error"
    position = 0
    head = next(
        (at for at, line in enumerate(lines) if _ITEM.match(line) or _SECTION.match(line) or _END.match(line)), 0
    )
    if any(_PLACE.match(line) for line in lines[:head]) and any(line.startswith("Tests: ") for line in lines):
        yield _failure(None, lines[:head])  # whose name was cut off
    while position < len(lines):
        line = lines[position]
        position += 1
        if match := _SECTION.match(line):
            severity = _SEVERITIES.get((match["kind"] or "").rstrip("s"))
        elif match := _ITEM.match(line):
            start = position
            while position < len(lines) and not _ITEM.match(lines[position]) and not _END.match(lines[position]):
                position += 1
            if severity:
                found = _failure(_DATA.sub(r"\g<set>", match["test"]), lines[start:position])
                yield replace(found, severity=severity)


def _failure(test: str | None, block: Sequence[str]) -> Diagnostic:
    frames, said = [], []
    for line in block:
        text = line.strip()
        if text in ("Caused by", "Previous"):
            break
        if match := _PLACE.match(text):
            frames.append(match)
        elif not frames:
            said.append(line.rstrip())
    text = "\n".join(said).strip()
    kind = _KIND.match(text)
    where = place(next((frame for frame in frames if not FOREIGN.match(frame["file"])), None))
    code = kind["code"] if kind else None
    return Diagnostic(text, *where, code=code, phase="test", test=test, test_identity=_as_described(test))


def _as_described(test: str | None) -> str | None:
    """A test's name as `--testdox` shortens it: without `Test` and `test`, in one case, without spaces."""
    if test is None:
        return None
    owner, _, name = test.rpartition("::")
    owner = owner.partition(" (")[0].rpartition("\\")[2].removesuffix("Test")
    return f"{owner}::{re.sub(r'^test(?=[A-Z_])|[ _]', '', name)}".lower()


def described(lines: Sequence[str]) -> Iterator[Diagnostic]:
    """`--testdox`, where nothing is listed at the end."""
    owner, position = "", 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if match := _DOX.match(line):
            start = position
            while position < len(lines) and lines[position].lstrip().startswith(("│", "├", "┐", "┊", "╵", "┴")):
                position += 1
            block = [re.sub(r"^\s*[│├┐┊╵┴] ?", "", each) for each in lines[start:position]]
            test = f"{owner}::{match['test']}" if owner else match["test"]
            yield _failure(test, block)
        elif position < len(lines) and re.match(r" [✔✘↩∅☢⚠] ", lines[position]) and (match := _DOX_CLASS.match(line)):
            owner = match["name"]


def teamcity(lines: Sequence[str]) -> Iterator[Diagnostic]:
    owner = ""
    for line in lines:
        if not (match := _TEAMCITY.match(line)):
            continue
        row = {name: _ESCAPED.sub(_unescaped, value) for name, value in _ATTRIBUTE.findall(match["rest"])}
        if match["event"] == "testStarted":
            owner = row.get("locationHint", "").partition("::\\")[2].rpartition("::")[0] or owner
        elif "did not perform any assertions" not in row.get("message", ""):
            said = re.sub(r"^([A-Z][\w\\]*) : ", r"\1: ", row.get("message", ""))
            test = f"{owner}::{row.get('name', '')}" if owner else row.get("name")
            yield _failure(test, [*said.split("\n"), *row.get("details", "").split("\n")])


def _unescaped(match: re.Match[str]) -> str:
    mark = match[1]
    if mark.startswith("0x"):
        return chr(int(mark[2:], 16))
    return {"n": "\n", "r": "\r"}.get(mark, mark)


def pest(lines: Sequence[str]) -> Iterator[Diagnostic]:
    for at, line in enumerate(lines):
        if not (match := _PEST.match(line)):
            continue
        said: list[str] = []
        spot: re.Match[str] | None = None
        for below in lines[at + 1 : at + 60]:
            spot = _PEST_AT.match(below)
            if spot or _PEST.match(below):
                break
            said.append(below.strip())
        test = f"{match['owner']}::{match['name']}"
        yield Diagnostic(
            "\n".join(said).strip(), *place(spot), code=match["code"], phase="test", test=test, tool="pest"
        )
