"""Which surfaces would show a record now, and why the others would not: asked of the surfaces themselves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from aicx.config import Settings
from aicx.memory.briefing import brief
from aicx.memory.policy_records import policy_in
from aicx.memory.reading import Scope
from aicx.memory.recall.asking import ExcludedEntry, RecallQuery
from aicx.memory.recall.run import recall
from aicx.memory.record import Record
from aicx.memory.review.answers import ReviewSurface
from aicx.memory.review.patches import says
from aicx.memory.review.states import ReviewedRecord
from aicx.memory.sources import read_live

_BRIEF = 6  # entries, as a brief has


def surfaces_of(settings: Settings, scope: Scope, candidate: ReviewedRecord, now: datetime) -> list[ReviewSurface]:
    """Asks recall, a brief on the statement, the start of a session and the instruction files.

    The start of a session names what waits for a person by its reference alone.
    """
    record = candidate.record
    return [
        _recalled(settings, scope, record, now),
        _briefed(settings, scope, record, now, record.statement),
        _briefed(settings, scope, record, now, None),
        _in_files(settings, scope, record),
    ]


def _recalled(settings: Settings, scope: Scope, record: Record, now: datetime) -> ReviewSurface:
    answer = recall(settings, RecallQuery(record.statement, now, scope))
    for entry in answer.entries:
        if entry.ref == record.ref:
            shown_as = "agreed" if entry.baseline else entry.status
            return _surface("recall", record.statement, shown_as, entry.reasons)
    return _surface("recall", record.statement, None, _left_out(answer.excluded, record))


def _briefed(settings: Settings, scope: Scope, record: Record, now: datetime, topic: str | None) -> ReviewSurface:
    surface = "startup" if topic is None else "resume"
    found = brief(settings, scope, topic or "", now, _BRIEF)
    for entry in found.agreed:
        if entry.ref == record.ref:
            return _surface(surface, topic, "agreed", entry.reasons)
    reasons = _left_out(found.excluded, record)
    waits = any(left.ref == record.ref and left.status == "candidate" for left in found.excluded)
    return _surface(surface, topic, "reference" if topic is None and waits else None, reasons)


def _in_files(settings: Settings, scope: Scope, record: Record) -> ReviewSurface:
    """An instruction file is read by the agents themselves, as guidance of its owner."""
    if scope.root is None:
        return _surface("instructions", None, None, ("outside_repo",))
    live = read_live(
        scope.root, policy_in(settings, scope), homes=settings.homes, redact_secrets=settings.redact_secrets
    )
    for one in live.statements:
        if says(one.statement.text, record):
            return _surface("instructions", None, one.ref, ("advisory_source",))
    return _surface("instructions", None, None, ("not_matched",))


def _surface(surface: str, query: str | None, shown_as: str | None, reasons: Iterable[str]) -> ReviewSurface:
    return ReviewSurface(surface, query, shown_as is not None, shown_as, list(reasons))


def _left_out(excluded: Iterable[ExcludedEntry], record: Record) -> tuple[str, ...]:
    return next((tuple(left.reasons) for left in excluded if left.ref == record.ref), ("not_matched",))
