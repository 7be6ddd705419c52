"""Which surfaces would show a record now, and why the others would not: asked of the surfaces themselves."""

from __future__ import annotations

from collections.abc import Iterable

from aicx.memory.briefing import brief
from aicx.memory.deciding import Desk
from aicx.memory.policy_records import policy_in
from aicx.memory.recall.asking import ExcludedEntry, RecallQuery
from aicx.memory.recall.run import recall
from aicx.memory.record import Record
from aicx.memory.review.answers import ReviewSurface
from aicx.memory.review.patches import says
from aicx.memory.review.states import ReviewedRecord
from aicx.memory.sources import read_live

_BRIEF = 6  # entries, as a brief has


def surfaces_of(desk: Desk, candidate: ReviewedRecord) -> list[ReviewSurface]:
    """Asks recall, a brief on the statement, the start of a session and the instruction files.

    The start of a session names what waits for a person by its reference alone.
    """
    record = candidate.record
    return [
        _recalled(desk, record),
        _briefed(desk, record, record.statement),
        _briefed(desk, record, None),
        _in_files(desk, record),
    ]


def _recalled(desk: Desk, record: Record) -> ReviewSurface:
    answer = recall(desk.settings, RecallQuery(record.statement, desk.now, desk.scope))
    for entry in answer.entries:
        if entry.ref == record.ref:
            shown_as = "agreed" if entry.baseline else entry.status
            return _surface("recall", record.statement, shown_as, entry.reasons)
    return _surface("recall", record.statement, None, _left_out(answer.excluded, record))


def _briefed(desk: Desk, record: Record, topic: str | None) -> ReviewSurface:
    surface = "startup" if topic is None else "resume"
    found = brief(desk.settings, desk.scope, topic or "", desk.now, _BRIEF)
    for entry in found.agreed:
        if entry.ref == record.ref:
            return _surface(surface, topic, "agreed", entry.reasons)
    reasons = _left_out(found.excluded, record)
    waits = any(left.ref == record.ref and left.status == "candidate" for left in found.excluded)
    return _surface(surface, topic, "reference" if topic is None and waits else None, reasons)


def _in_files(desk: Desk, record: Record) -> ReviewSurface:
    """An instruction file is read by the agents themselves, as guidance of its owner."""
    settings = desk.settings
    if desk.scope.root is None:
        return _surface("instructions", None, None, ("outside_repo",))
    live = read_live(
        desk.scope.root, policy_in(settings, desk.scope), homes=settings.homes, redact_secrets=settings.redact_secrets
    )
    for one in live.statements:
        if says(one.statement.text, record):
            return _surface("instructions", None, one.ref, ("advisory_source",))
    return _surface("instructions", None, None, ("not_matched",))


def _surface(surface: str, query: str | None, shown_as: str | None, reasons: Iterable[str]) -> ReviewSurface:
    return ReviewSurface(surface, query, shown_as is not None, shown_as, list(reasons))


def _left_out(excluded: Iterable[ExcludedEntry], record: Record) -> tuple[str, ...]:
    return next((tuple(left.reasons) for left in excluded if left.ref == record.ref), ("not_matched",))
