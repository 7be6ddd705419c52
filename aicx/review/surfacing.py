"""Which surfaces would show a record now, and why the others would not: asked of the surfaces themselves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from aicx.config import Settings
from aicx.memory.briefing import brief
from aicx.memory.policy_records import policy_in
from aicx.memory.reading import Scope
from aicx.memory.recall.answer import ExcludedEntry
from aicx.memory.recall.asking import RecallQuery
from aicx.memory.recall.run import recall
from aicx.memory.record import Record
from aicx.memory.sources import read_live
from aicx.review.patching import says
from aicx.review.states import Candidate
from aicx.values import dataclass

_BRIEF = 6  # entries, as a brief has


@dataclass(frozen=True, slots=True)
class Surfaced:
    """What one surface does with a record. ``shown_as`` is what it is shown as, None where it is not shown; the start
    of a session names what waits for a person by its reference alone.

    ``query`` is what was asked, None for a session that begins without a topic.
    """

    surface: str
    query: str | None
    shown_as: str | None
    reasons: tuple[str, ...]


def surfaces_of(settings: Settings, scope: Scope, candidate: Candidate, now: datetime) -> list[Surfaced]:
    """What recall, a brief on the statement, the start of a session and the instruction files do with it."""
    record = candidate.record
    return [
        _recalled(settings, scope, record, now),
        _briefed(settings, scope, record, now, record.statement),
        _briefed(settings, scope, record, now, None),
        _in_files(settings, scope, record),
    ]


def _recalled(settings: Settings, scope: Scope, record: Record, now: datetime) -> Surfaced:
    answer = recall(settings, RecallQuery(record.statement, now, scope))
    for entry in answer.entries:
        if entry.ref == record.ref:
            return Surfaced(
                "recall", record.statement, "agreed" if entry.baseline else entry.status, tuple(entry.reasons)
            )
    return Surfaced("recall", record.statement, None, _left_out(answer.excluded, record))


def _briefed(settings: Settings, scope: Scope, record: Record, now: datetime, topic: str | None) -> Surfaced:
    surface = "startup" if topic is None else "resume"
    found = brief(settings, scope, topic or "", now, _BRIEF)
    for entry in found.agreed:
        if entry.ref == record.ref:
            return Surfaced(surface, topic, "agreed", tuple(entry.reasons))
    reasons = _left_out(found.excluded, record)
    waits = any(left.ref == record.ref and left.status == "candidate" for left in found.excluded)
    return Surfaced(surface, topic, "reference" if topic is None and waits else None, reasons)


def _in_files(settings: Settings, scope: Scope, record: Record) -> Surfaced:
    """An instruction file is read by the agents themselves, as guidance of its owner."""
    if scope.root is None:
        return Surfaced("instructions", None, None, ("outside_repo",))
    live = read_live(
        scope.root, policy_in(settings, scope), homes=settings.homes, redact_secrets=settings.redact_secrets
    )
    for one in live.statements:
        if says(one.statement.text, record):
            return Surfaced("instructions", None, one.ref, ("advisory_source",))
    return Surfaced("instructions", None, None, ("not_matched",))


def _left_out(excluded: Iterable[ExcludedEntry], record: Record) -> tuple[str, ...]:
    return next((tuple(left.reasons) for left in excluded if left.ref == record.ref), ("not_matched",))
