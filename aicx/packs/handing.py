"""The handoffs of a task: those that somebody stated for it, and what the logs of its sessions leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aicx.fields import taken_from
from aicx.packs.answers import PackHandoff
from aicx.packs.choosing import ChosenSession
from aicx.packs.gathering import Gathered
from aicx.refs import Ref
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.attempts import sessions_of
from aicx.work.handoff import handoff_of, hands_on
from aicx.work.handoff_answers import derived_answer, stated_answer
from aicx.work.record import WorkRecord, words_of


@dataclass(frozen=True, slots=True)
class StatedHandoff:
    """A handoff that somebody stated for the task, and its session."""

    record: WorkRecord
    session: str | None


def stated_for(task: WorkRecord, records: Iterable[WorkRecord], gathered: Gathered) -> list[StatedHandoff]:
    """The stated handoffs of a task, the newest first: of its sessions, or with its goal."""
    period = gathered.query.period
    found = []
    for record in records:
        at = instant(record.updated_at, "seconds")
        session = _session_of(record)
        is_own = session is not None and session in (*task.sources, task.goal_source)
        if period.holds(at, at) and (is_own or words_of(record.goal) == words_of(task.goal)):
            found.append(StatedHandoff(record, session))
    return found


def handoffs_of(stated: Sequence[StatedHandoff], sessions: Sequence[ChosenSession]) -> list[PackHandoff]:
    """Returns stated handoffs, then derived ones of the chosen sessions that stated none; each the newest first."""
    spoken = {one.session for one in stated}
    derived = [one for one in sessions if one.facts.ref not in spoken and hands_on(one.facts)]
    derived.sort(key=lambda one: one.facts.ended_at, reverse=True)
    return [*map(_stated, stated), *map(_derived, derived)]


def _session_of(record: WorkRecord) -> str | None:
    attempt = record.attempt
    if attempt is not None and attempt.session is not None:
        return str(Ref.of_session(attempt.agent, attempt.session))
    return next(iter(sessions_of(record)), None)


def _stated(one: StatedHandoff) -> PackHandoff:
    refs = _each(ref for item in one.record.items for ref in item.evidence)
    return taken_from(stated_answer(one.record), PackHandoff, reason="of_task", session=one.session, refs=refs)


def _derived(one: ChosenSession) -> PackHandoff:
    handoff, facts = handoff_of(one.facts), one.facts
    lines = (*handoff.done, *facts.failing, *facts.next, *facts.questions, *facts.decisions)
    reason = "of_task" if one.reason == "task_session" else "of_session"
    refs = _each(ref for line in lines for ref in line.refs)
    return taken_from(derived_answer(handoff), PackHandoff, reason=reason, refs=refs)


def _each(refs: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(refs))
