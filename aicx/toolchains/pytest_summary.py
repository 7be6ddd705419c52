"""The tests that pytest's short summary or its progress lines name, and what of them no block tells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aicx.toolchains.family import Diagnostic
from aicx.toolchains.python_tracebacks import EXCEPTION, Frame
from aicx.values import dataclass

SUMMARY = re.compile(
    r"(?P<kind>FAILED|ERROR|SUBFAIL(?:ED)?(?:\[.{0,200}?\]|\(.{0,200}?\))?) (?P<id>\S.*?\.(?:py|txt|rst|md)(?:::.*?)?)(?: - (?P<text>.*))?$"
)
_PROGRESS = re.compile(
    r"(?:\[gw\d+\] \[ *\d+%\] (?P<state>FAILED|ERROR) (?P<worker>\S.*?)"
    r"|(?P<id>\S+\.py::\S.*?) (?P<late>FAILED|ERROR)(?: +\[ *\d+%\])?) *$"
)


@dataclass(frozen=True, slots=True)
class NamedTest:
    """A test that the short summary or the progress lines name."""

    id: str
    text: str
    failed: bool  # not an error of setup


def named_tests(lines: Sequence[str]) -> dict[str, NamedTest]:
    """The failing tests by id, as the short summary has them, else the progress lines."""
    rows: dict[str, NamedTest] = {}
    progress: dict[str, NamedTest] = {}
    for line in lines:
        if line.startswith(("FAILED ", "ERROR ", "SUBFAIL")):
            if match := SUMMARY.match(line):
                rows.setdefault(match["id"], NamedTest(match["id"], match["text"] or "", match["kind"] != "ERROR"))
        elif ("FAILED" in line or "ERROR" in line) and (match := _PROGRESS.match(line)):
            name = match["worker"] or match["id"]
            progress.setdefault(name, NamedTest(name, "", (match["state"] or match["late"]) == "FAILED"))
    return rows or progress


def says_same(summary: str, text: str) -> bool:
    """Whether the summary's text, which may be cut, is about the same failure as a line's."""
    begin = summary.removesuffix("...")
    return bool(begin) and (
        text.startswith(begin) or begin.startswith(text) or (text == "AssertionError" and begin.startswith("assert "))
    )


def row_of(name: str, frames: Sequence[Frame], named: dict[str, NamedTest]) -> NamedTest | None:
    """The row of the summary that a heading belongs to."""
    wanted = name.removeprefix("[doctest] ").replace(".", "::")
    fits = [row for row in named.values() if row.id == name or row.id.partition("::")[2].replace(".", "::") == wanted]
    if len(fits) > 1:
        files = {frame.file.rpartition("/")[2] for frame in frames}
        fits = [row for row in fits if row.id.partition("::")[0].rpartition("/")[2] in files] or fits
    if not fits and not name and len(named) == 1:
        fits = list(named.values())
    return fits[0] if fits else None


def is_covered(row: NamedTest, used: set[str]) -> bool:
    """Whether a block without a name of its own was about this row."""
    tail = row.id.partition("::")[2]
    used = {re.sub(r" [(\[].*", "", name) for name in used} | used
    return any(tail and (name == tail or name.endswith("::" + tail)) for name in used) or row.id in used


def from_summary(row: NamedTest) -> Diagnostic:
    exception = EXCEPTION.match(row.text)
    code = exception["type"].rpartition(".")[2] if exception else None
    return Diagnostic(
        row.text or f"{row.id} failed",
        file_of(row),
        code=code,
        phase="test" if row.failed else "setup",
        test=row.id if "::" in row.id else None,
        identity=identity_of(row.text),
    )


def file_of(row: NamedTest | None) -> str | None:
    return row.id.partition("::")[0] if row else None


def identity_of(first: str) -> str:
    """The first line without the class that only the long style names."""
    return first.removeprefix("AssertionError: ").strip()
