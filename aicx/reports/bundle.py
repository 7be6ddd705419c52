"""The JSON bundle ``aicx.reports/1``: written record by record, so that its size does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

import orjson

from aicx.reports.record import Report
from aicx.reports.scan import Outcome
from aicx.reports.selection import Selection
from aicx.text import instant

SCHEMA = "aicx.reports/1"
TITLE = "Workflow reports"
# How every bundle of ours begins.
MARK = f'{{"schema":"{SCHEMA}"'.encode()

Write = Callable[[bytes], object]


def write_bundle(
    write: Write, reports: Iterable[Report], outcome: Outcome, *, folder: str, selection: Selection, now: datetime
) -> None:
    """Writes the bundle of ``reports`` in pieces, each report as it comes; ``outcome`` is read after the last one."""
    head = {
        "schema": SCHEMA,
        "title": TITLE,
        "generated_at": instant(now, "seconds"),
        "folder": folder,
        "filters": selection.to_json(),
    }
    write(orjson.dumps(head)[:-1])
    write(b',"records":[')
    for index, report in enumerate(reports):
        write(b"," if index else b"")
        write(orjson.dumps(report.to_json()))
    tail = {
        "found": outcome.found,
        "matched": outcome.matched,
        "skipped": outcome.skipped,
        "problems": [{"path": problem.path, "reason": problem.reason} for problem in outcome.problems],
    }
    write(b"]," + orjson.dumps(tail)[1:])


def both(writers: Iterable[Write]) -> Write:
    """One function that writes to all of ``writers``."""
    targets = tuple(writers)

    def write(body: bytes) -> None:
        for target in targets:
            target(body)

    return write
