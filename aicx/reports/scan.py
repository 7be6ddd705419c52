"""Yields the reports of a folder that pass the filters, one after the other, and the counts at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, field
from datetime import datetime
from pathlib import Path
from typing import Annotated

from aicx.corpus.catalog.filters import parse_date_range, parse_instant
from aicx.errors import NotFound, SourceUnreadable, UsageError
from aicx.fields import INTERNAL
from aicx.reports.listing import ReportEntry, ReportListing, list_reports
from aicx.reports.reading import clean_line
from aicx.reports.record import Report, build
from aicx.sources.items import BadRecord
from aicx.text import local
from aicx.types import Unread
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class ReportSelection:
    """The selection of reports. None is no limit; days are ISO and included."""

    workflow: str | None = None
    since: str | None = None
    until: str | None = None
    org: str | None = None
    repo: str | None = None

    @property
    def wants_days(self) -> bool:
        return self.since is not None or self.until is not None

    def may_hold(self, entry: ReportEntry) -> bool:
        """Whether an entry can be wanted, by its place alone; a report is read only then."""
        return (
            _same(self.org, entry.org)
            and (_same(self.repo, entry.repo) or _same(self.repo, f"{entry.org}/{entry.repo}"))
            and (entry.day is None or self._in_days(entry.day))
        )

    def holds(self, report: Report) -> bool:
        """Whether a report whose entry `may_hold` is wanted. One without a day is not, where days are asked for."""
        dated = report.date is not None and self._in_days(report.date)
        return (dated or not self.wants_days) and self._is_workflow(report)

    def to_json(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if value is not None}

    def _in_days(self, day: str) -> bool:
        return (self.since or "") <= day and (self.until is None or day <= self.until)

    def _is_workflow(self, report: Report) -> bool:
        if self.workflow is None:
            return True
        wanted = self.workflow.casefold()
        known = (report.workflow, report.lane, report.mode, report.skill_code)
        return any(wanted in name.casefold() for name in known if name)


def make_selection(
    now: datetime,
    *,
    workflow: str | None,
    since: str | None,
    until: str | None,
    date: str | None,
    org: str | None,
    repo: str | None,
) -> ReportSelection:
    """A selection from what a user wrote. Raises UsageError for what is not a point in time.

    Reports carry days, not instants, so a point in time stands for its day.
    """
    low, high = parse_date_range(date, now) if date is not None else (None, None)
    first = local(parse_instant(since, now)).date().isoformat() if since else None
    last = local(parse_instant(until, now, end_of_day=True)).date().isoformat() if until else None
    return ReportSelection(
        workflow=workflow,
        since=max(filter(None, (low, first)), default=None),
        until=min(filter(None, (high, last)), default=None),
        org=org,
        repo=repo,
    )


def _same(wanted: str | None, found: str | None) -> bool:
    return wanted is None or (found is not None and wanted.casefold() == found.casefold())


@dataclass(slots=True)
class ScanResult:
    """The facts known once a scan is over; paths are redacted and relative to the folder."""

    found: Annotated[int, "number of reports in the folder"] = 0
    matched: Annotated[int, "number that match the filters"] = 0
    skipped: Annotated[dict[str, int], "entries left out: `hidden`, `link`, `other file` → how many"] = field(
        default_factory=dict
    )
    problems: Annotated[list[Unread], "files that could not be read"] = field(default_factory=list)
    yielded: int = field(default=0, metadata=INTERNAL)
    undated: int = field(default=0, metadata=INTERNAL)  # left out because days were asked for and they have none
    projects: Counter[str] = field(default_factory=Counter, metadata=INTERNAL)


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
        on_progress(done, len(listing.entries), clean_line(entry.repo or ""))
        outcome.projects[f"{entry.org or '-'}/{entry.repo or '-'}"] += 1
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


def _shown(problem: BadRecord, folder: Path) -> Unread:
    path = problem.path.removeprefix(f"{folder}/")
    return Unread(clean_line(path), clean_line(problem.reason))
