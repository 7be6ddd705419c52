"""The filters of reports: workflow, days, organisation and repository."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from aicx.corpus.catalog.when import parse_date_range, parse_instant
from aicx.reports.listing import ReportEntry
from aicx.reports.record import Report
from aicx.text import local
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
            _same(self.org, entry.place.org)
            and (_same(self.repo, entry.place.repo) or _same(self.repo, f"{entry.place.org}/{entry.place.repo}"))
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
