"""The JSON bundle ``aicx.reports/1``: written record by record, so that its size does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from datetime import datetime
from typing import Annotated

import orjson

from aicx.fields import INLINE, to_fields
from aicx.reports.record import Report
from aicx.reports.scan import ScanResult
from aicx.reports.selection import ReportSelection
from aicx.text import instant
from aicx.types import Unread
from aicx.values import dataclass

SCHEMA = "aicx.reports/1"
TITLE = "Workflow reports"
# How every bundle of ours begins.
MARK = f'{{"schema":"{SCHEMA}"'.encode()

Write = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class BundleHead:
    title: Annotated[str, "the title of the page"]
    generated_at: str
    folder: Annotated[str, "the folder that was read, with `~` for the home"]
    filters: Annotated[dict[str, str], "the filters used: `workflow`, `since`, `until`, `org`, `repo`"]


@dataclass(frozen=True, slots=True)
class BundleTail:
    found: Annotated[int, "number of reports in the folder"]
    matched: Annotated[int, "number that match the filters"]
    skipped: Annotated[dict[str, int], "entries left out: `hidden`, `link`, `other file` → how many"]
    problems: Annotated[list[Unread], "files that could not be read"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """The form of `--bundle` and `--json`. Records may get further fields; the page keeps unknown ones."""

    head: BundleHead = field(metadata=INLINE)
    records: Annotated[list[Report], "newest day first"]
    tail: BundleTail = field(metadata=INLINE)


def write_bundle(
    write: Write,
    reports: Iterable[Report],
    outcome: ScanResult,
    *,
    folder: str,
    selection: ReportSelection,
    now: datetime,
) -> None:
    """Writes the `Bundle` of ``reports`` in pieces, each report as it comes; ``outcome`` is read after the last one."""
    head = BundleHead(TITLE, instant(now, "seconds"), folder, selection.to_json())
    write(orjson.dumps({"schema": SCHEMA, **to_fields(head)})[:-1])
    write(b',"records":[')
    for index, report in enumerate(reports):
        write(b"," if index else b"")
        write(orjson.dumps(report.to_json()))
    problems = [Unread(problem.path, problem.reason) for problem in outcome.problems]
    tail = BundleTail(outcome.found, outcome.matched, outcome.skipped, problems)
    write(b"]," + orjson.dumps(to_fields(tail))[1:])


def both(writers: Iterable[Write]) -> Write:
    """One function that writes to all of ``writers``."""
    targets = tuple(writers)

    def write(body: bytes) -> None:
        for target in targets:
            target(body)

    return write
