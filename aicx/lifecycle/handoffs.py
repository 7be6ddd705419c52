"""The handoffs of a repository: those that somebody stated, and one derived from the log of every other session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from aicx.api.answers.lifecycle import HandoffAnswer
from aicx.config import Settings
from aicx.errors import NotFound
from aicx.git.branches import CURRENT, Branches
from aicx.text import instant
from aicx.work.at_place import facts_at
from aicx.work.files import HANDOFFS, read_all
from aicx.work.handoff import Handoff, handoff_of, hands_on
from aicx.work.place import Present, find_place, looking
from aicx.work.record import WorkRecord
from aicx.work.session_facts import Ran, Said, SessionFacts

_OUTCOMES = {"success": "resolved", "failure": "failed"}


class Link(NamedTuple):
    """A handoff in the chain of a repository's sessions: a record where somebody stated it, else what its log says.

    ``compatible`` is whether its branch is part of what is checked out, None where git does not say; ``offered`` is the
    newest that is not known to be of another branch.
    """

    found: WorkRecord | Handoff
    compatible: bool | None
    offered: bool


def handoffs(
    settings: Settings, folder: Path, now: datetime, limit: int, progress: Callable[[int, int], None] | None = None
) -> tuple[list[HandoffAnswer], int, list[str]]:
    """The handoffs, newest first, at most ``limit``; how many there are; and notes."""
    place = find_place(settings, folder)
    stated = read_all(settings.layout, place.folders, (HANDOFFS,)).records
    try:
        facts, notes = facts_at(settings, folder, progress)
    except NotFound:
        facts, notes = [], []
    with looking(place, now) as present:
        links, total = chain(stated, facts, limit, present)
    return list(map(answer_of, links)), total, notes


def chain(
    stated: Sequence[WorkRecord], facts: Sequence[SessionFacts], limit: int, present: Present | None
) -> tuple[list[Link], int]:
    """The newest ``limit`` handoffs, newest first, and how many there are. ``present`` is None for no such folder.

    Of a session that stated one, the stated ones stand for it; all of them are kept. Where a statement does not name
    its session, that is the one whose log shows the call at the time.
    """
    spoken = {ref for record in stated for ref in _sessions(record)}
    nameless = [instant(record.updated_at, "seconds") for record in stated if not _sessions(record)]
    unstated = [
        handoff_of(one)
        for one in facts
        if hands_on(one)
        and one.ref not in spoken
        and not (one.finalized and any(one.started_at <= at <= one.ended_at for at in nameless))
    ]
    # Those that were stated are in the order of the log. Where the clock was set back meanwhile, that counts.
    times = accumulate((instant(record.updated_at, "seconds") for record in stated), min)
    every: list[tuple[str, WorkRecord | Handoff]] = [
        *zip(times, stated, strict=True),
        *((one.facts.ended_at, one) for one in unstated),
    ]
    every.sort(key=lambda pair: pair[0], reverse=True)
    chosen = [found for _, found in every[:limit]]
    fits = _compatible(present, chosen) if present is not None else [None] * len(chosen)
    fitting = [number for number, fit in enumerate(fits) if fit is not False]
    by_people = (number for number in fitting if not _is_automated(chosen[number]))
    offered = next(by_people, next(iter(fitting), None))
    pairs = enumerate(zip(chosen, fits, strict=True))
    return [Link(one, fit, number == offered) for number, (one, fit) in pairs], len(every)


def _is_automated(found: WorkRecord | Handoff) -> bool:
    """Whether a program ran the session, whose end is offered only where no person's is."""
    return isinstance(found, Handoff) and found.facts.automated


def answer_of(link: Link) -> HandoffAnswer:
    found, compatible, offered = link
    if isinstance(found, WorkRecord):
        return _stated(found, compatible, offered)
    return derived(found, compatible, offered=offered)


def proofs_of(found: WorkRecord | Handoff) -> dict[str, list[str]]:
    """The lines of a handoff as `answer_of` gives them, each with the references that prove it, where there are any."""
    if isinstance(found, WorkRecord):
        return {item.text: list(item.evidence) for item in found.items if item.evidence}
    every = [*_lines(found), *([found.facts.progress] if found.facts.progress else [])]
    said = {line.text: list(line.refs) for line in every if line.refs}
    return said | {_test_line(run): [run.ref] for run in found.tests}


def _compatible(present: Present, found: Sequence[WorkRecord | Handoff]) -> list[bool | None]:
    branches = present.branches([one.facts.branch or "" for one in found if isinstance(one, Handoff)])
    return [present.loading(one).loadable if isinstance(one, WorkRecord) else _stands(branches, one) for one in found]


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
        claims=record.texts("claims"),
    )


def derived(handoff: Handoff, compatible: bool | None = None, *, offered: bool = False) -> HandoffAnswer:
    """What a session's log leaves, as it is answered."""
    facts = handoff.facts
    goal = facts.wanted
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
        done=_texts([line for line in handoff.done if line is not facts.progress]),  # which is the summary
        failing=_texts(facts.failing),
        next=_texts(facts.next),
        questions=_texts(facts.questions),
        decisions=_texts(facts.decisions),
        starting_points=[point.path for point in handoff.starting_points],
        commits=_texts(facts.commits),
        tests=list(map(_test_line, handoff.tests)),
        refs=list(dict.fromkeys(ref for line in _lines(handoff) for ref in line.refs)),
        claims=[],
    )


def _lines(handoff: Handoff) -> list[Said]:
    facts = handoff.facts
    return [*handoff.done, *facts.failing, *facts.next, *facts.questions, *facts.decisions, *facts.commits]


def _test_line(run: Ran) -> str:
    return f"`{run.command}` {'passed' if run.passed else 'failed'}"


def _texts(lines: Sequence[Said]) -> list[str]:
    return [line.text for line in lines]


def _sessions(record: WorkRecord) -> list[str]:
    return [ref for ref in record.sources if ref.startswith("session:")]
