"""The handoffs of a task: those that somebody stated for it, and what the logs of its sessions leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aicx.api.answers.pack import PackHandoff
from aicx.packs.choosing import ChosenSession
from aicx.packs.gathering import Gathered, goal_of
from aicx.refs import Ref
from aicx.text import instant
from aicx.work.handoff import handoff_of, hands_on
from aicx.work.record import WorkRecord, words_of
from aicx.work.session_facts import Said

_OUTCOMES = {"success": "resolved", "failure": "failed"}


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
    """What was stated, then what the chosen sessions leave that stated nothing; in both the newest first."""
    spoken = {one.session for one in stated}
    derived = [one for one in sessions if one.facts.ref not in spoken and hands_on(one.facts)]
    derived.sort(key=lambda one: one.facts.ended_at, reverse=True)
    return [*map(_stated, stated), *map(_derived, derived)]


def _session_of(record: WorkRecord) -> str | None:
    attempt = record.attempt
    if attempt is not None and attempt.session is not None:
        return str(Ref.of_session(attempt.agent, attempt.session))
    return next((ref for ref in record.sources if ref.startswith("session:")), None)


def _stated(one: StatedHandoff) -> PackHandoff:
    record, attempt = one.record, one.record.attempt
    return PackHandoff(
        ref=record.ref,
        reason="of_task",
        origin="stated",
        session=one.session,
        at=instant(record.updated_at, "seconds"),
        branch=record.git_context.branch if record.git_context else None,
        outcome=_OUTCOMES.get(attempt.outcome or "", "unresolved") if attempt else "unresolved",
        goal=record.goal,
        summary=record.closing_note,
        done=record.texts("verified"),
        failing=record.texts("failing"),
        next=record.texts("next_steps"),
        questions=record.texts("questions"),
        decisions=record.texts("decisions"),
        refs=_each(ref for item in record.items for ref in item.evidence),
    )


def _derived(one: ChosenSession) -> PackHandoff:
    handoff, facts = handoff_of(one.facts), one.facts
    lines = (*handoff.done, *facts.failing, *facts.next, *facts.questions, *facts.decisions)
    return PackHandoff(
        ref=handoff.session,
        reason="of_task" if one.reason == "task_session" else "of_session",
        origin="derived",
        session=handoff.session,
        at=facts.ended_at,
        branch=facts.branch,
        outcome=handoff.outcome,
        goal=goal_of(facts) or "",
        summary=facts.progress.text if facts.progress else "",
        done=texts([line for line in handoff.done if line is not facts.progress]),
        failing=texts(facts.failing),
        next=texts(facts.next),
        questions=texts(facts.questions),
        decisions=texts(facts.decisions),
        refs=_each(ref for line in lines for ref in line.refs),
    )


def texts(lines: Sequence[Said]) -> list[str]:
    return list(dict.fromkeys(line.text for line in lines))


def _each(refs: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(refs))
