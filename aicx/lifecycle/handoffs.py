"""The handoffs of a repository: those that somebody stated, and one derived from the log of every other session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from aicx.api.answers.lifecycle import HandoffAnswer
from aicx.config import Settings
from aicx.errors import NotFound
from aicx.git.branches import CURRENT, Branches
from aicx.refs import Ref
from aicx.text import instant
from aicx.work.at_place import facts_at
from aicx.work.files import HANDOFFS, read_all
from aicx.work.handoff import Handoff, handoff_of
from aicx.work.place import WorkPlace, find_place, looking
from aicx.work.record import WorkRecord
from aicx.work.session_facts import Said

_OUTCOMES = {"success": "resolved", "failure": "failed"}


def handoffs(
    settings: Settings, folder: Path, now: datetime, limit: int, progress: Callable[[int, int], None] | None = None
) -> tuple[list[HandoffAnswer], int, list[str]]:
    """The handoffs, newest first, at most ``limit``; how many there are; and notes.

    Of a session that stated one, the stated ones stand for it; all of them are kept.
    """
    place = find_place(settings, folder)
    stated = read_all(settings.layout, place.folders, (HANDOFFS,)).records
    try:
        facts, notes = facts_at(settings, folder, progress)
    except NotFound:
        facts, notes = [], []
    spoken = {ref for record in stated for ref in _sessions(record)}
    derived = [
        handoff_of(one)
        for one in facts
        if one.lane != "subagent" and str(Ref.of_session(one.agent, one.session_id)) not in spoken
    ]
    every: list[tuple[str, WorkRecord | Handoff]] = [
        *((instant(record.updated_at, "seconds"), record) for record in stated),
        *((one.facts.ended_at, one) for one in derived),
    ]
    every.sort(key=lambda pair: pair[0], reverse=True)
    chosen = [found for _, found in every[:limit]]
    fits = _compatible(settings, place, now, chosen)
    offered = next((number for number, fit in enumerate(fits) if fit is not False), None)
    items = [
        _stated(one, fit, number == offered) if isinstance(one, WorkRecord) else _derived(one, fit, number == offered)
        for number, (one, fit) in enumerate(zip(chosen, fits, strict=True))
    ]
    return items, len(every), notes


def _compatible(
    settings: Settings, place: WorkPlace, now: datetime, found: Sequence[WorkRecord | Handoff]
) -> list[bool | None]:
    """Whether each handoff's branch is part of what is checked out here; None where git does not say."""
    with looking(place, now) as present:
        branches = present.branches([one.facts.branch or "" for one in found if isinstance(one, Handoff)])
        return [
            present.loading(one).loadable if isinstance(one, WorkRecord) else _stands(branches, one) for one in found
        ]


def _stands(branches: Branches | None, handoff: Handoff) -> bool | None:
    if branches is None or handoff.facts.branch is None:
        return None
    standing = branches.standing(handoff.facts.branch, datetime.fromisoformat(handoff.facts.ended_at))
    return standing in CURRENT if standing not in ("unknown", "gone") else None


def _stated(record: WorkRecord, compatible: bool | None, offered: bool) -> HandoffAnswer:
    attempt = record.attempt
    return HandoffAnswer(
        ref=record.ref,
        origin="stated",
        session=next(iter(_sessions(record)), None),
        agent=attempt.agent if attempt else None,
        at=instant(record.updated_at, "seconds"),
        branch=record.git_context.branch if record.git_context else None,
        compatible=compatible,
        offered=offered,
        outcome=_OUTCOMES.get(attempt.outcome or "", "unresolved") if attempt else "unresolved",
        goal=record.goal,
        summary=record.closing_note,
        done=record.texts("verified"),
        failing=record.texts("failing"),
        next=record.texts("next_steps"),
        questions=record.texts("questions"),
        decisions=record.texts("decisions"),
        starting_points=record.texts("starting_points"),
        commits=record.texts("commits"),
        tests=record.texts("tests"),
        refs=list(dict.fromkeys([*record.sources, *(ref for item in record.items for ref in item.evidence)])),
    )


def _derived(handoff: Handoff, compatible: bool | None, offered: bool) -> HandoffAnswer:
    facts = handoff.facts
    said = [*handoff.done, *facts.failing, *facts.next, *facts.questions, *facts.decisions, *facts.commits]
    goal = facts.goal or facts.asked
    return HandoffAnswer(
        ref=handoff.session,
        origin="derived",
        session=handoff.session,
        agent=facts.agent,
        at=facts.ended_at,
        branch=facts.branch,
        compatible=compatible,
        offered=offered,
        outcome=handoff.outcome,
        goal=goal.text if goal else facts.title or "",
        summary=facts.progress.text if facts.progress else "",
        done=_texts(handoff.done),
        failing=_texts(facts.failing),
        next=_texts(facts.next),
        questions=_texts(facts.questions),
        decisions=_texts(facts.decisions),
        starting_points=[point.path for point in handoff.starting_points],
        commits=_texts(facts.commits),
        tests=[f"`{run.command}` {_ENDS[run.passed]}" for run in handoff.tests],
        refs=list(dict.fromkeys(ref for line in said for ref in line.refs)),
    )


_ENDS = {True: "passed", False: "failed", None: "ended, the log does not say how"}


def _texts(lines: Sequence[Said]) -> list[str]:
    return [line.text for line in lines]


def _sessions(record: WorkRecord) -> list[str]:
    return [ref for ref in record.sources if ref.startswith("session:")]
