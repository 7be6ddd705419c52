"""Yields the reports of a folder one after the other, and the counts at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from datetime import datetime
from pathlib import Path

from aicx.errors import NotFound, SourceUnreadable, UsageError
from aicx.reports.listing import ReportEntry, ReportListing, list_reports
from aicx.reports.reading import clean_line
from aicx.reports.record import Report, build
from aicx.reports.selection import ReportSelection
from aicx.sources.items import BadRecord
from aicx.values import dataclass


@dataclass(slots=True)
class ScanResult:
    """The facts known once a scan is over; paths are redacted and relative to the folder."""

    found: int = 0
    matched: int = 0
    yielded: int = 0
    undated: int = 0  # reports left out because days were asked for and they have none
    problems: list[BadRecord] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    projects: Counter[str] = field(default_factory=Counter)


def scan(
    folder: Path,
    selection: ReportSelection,
    now: datetime,
    outcome: ScanResult,
    *,
    limit: int | None = None,
    on_progress: Callable[[int, int, str], None] = lambda done, total, at: None,
) -> Iterator[Report]:
    """The wanted reports, newest day first, each read when it is asked for; ``outcome`` is filled meanwhile.

    The folder is listed at once: raises NotFound when there is none, UsageError when it is no folder, SourceUnreadable
    when it cannot be listed.
    """
    whole, listing = _listed(folder)
    outcome.found = len(listing.entries)
    outcome.skipped = dict(sorted(listing.skipped.items()))
    outcome.problems = [_shown(problem, whole) for problem in listing.problems]
    return _read(whole, listing, selection, now, outcome, limit, on_progress)


def _read(
    folder: Path,
    listing: ReportListing,
    selection: ReportSelection,
    now: datetime,
    outcome: ScanResult,
    limit: int | None,
    on_progress: Callable[[int, int, str], None],
) -> Iterator[Report]:
    for done, entry in enumerate(listing.entries):
        on_progress(done, len(listing.entries), clean_line(entry.place.repo or ""))
        outcome.projects[f"{entry.place.org or '-'}/{entry.place.repo or '-'}"] += 1
        if not selection.may_hold(entry):
            continue
        report, problems = build(entry, _relative(entry, folder), now)
        outcome.problems += [_shown(problem, folder) for problem in problems]
        if not selection.holds(report):
            outcome.undated += report.date is None and selection.wants_days
            continue
        outcome.matched += 1
        if limit is None or outcome.yielded < limit:
            outcome.yielded += 1
            yield report


def _listed(folder: Path) -> tuple[Path, ReportListing]:
    try:
        whole = folder.resolve(strict=True)
        if not whole.is_dir():
            raise UsageError(f"{folder} is not a folder", hint="name the folder that holds <org>/<repo>/<date>/…")
        return whole, list_reports(whole)
    except FileNotFoundError:
        raise NotFound(
            f"there is no folder {folder}",
            hint="aicx reports FOLDER, where FOLDER holds <org>/<repo>/<date>/… with reports",
        ) from None
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceUnreadable(f"{folder} cannot be listed: {reason}", hint="check its permissions") from error


def _relative(entry: ReportEntry, folder: Path) -> str:
    path = entry.folder.relative_to(folder).as_posix()
    return "" if path == "." else f"{path}/"


def _shown(problem: BadRecord, folder: Path) -> BadRecord:
    path = problem.path.removeprefix(f"{folder}/")
    return BadRecord(clean_line(path), clean_line(problem.reason))
