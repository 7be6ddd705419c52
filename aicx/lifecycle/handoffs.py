"""The handoffs of a repository: those that somebody stated, and one derived from the log of every other session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from aicx.config import Settings
from aicx.errors import NotFound
from aicx.evidence.statements import tells_unpushed, without_push
from aicx.git.branches import CURRENT, Branches
from aicx.text import instant
from aicx.work.attempts import sessions_of
from aicx.work.facts_index import facts_at
from aicx.work.files import HANDOFFS, read_all
from aicx.work.handoff import Handoff, HandoffAnswer, derived_answer, handoff_of, hands_on, stated_answer
from aicx.work.place import Present, find_place, looking
from aicx.work.record import WorkRecord
from aicx.work.session_facts import SessionFacts


class HandoffLink(NamedTuple):
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
) -> tuple[list[HandoffLink], int]:
    """The newest ``limit`` handoffs, newest first, and how many there are. ``present`` is None for no such folder.

    Of a session that stated one, the stated ones stand for it; all of them are kept. Where a statement does not name
    its session, that is the one whose log shows the call at the time.
    """
    spoken = {ref for record in stated for ref in sessions_of(record)}
    nameless = [instant(record.updated_at, "seconds") for record in stated if not sessions_of(record)]
    unstated = [
        handoff_of(replace(one, unanswered=None) if _is_taken_over(one, facts) else one)
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
    chosen = [_as_pushed(found, present) for _, found in every[:limit]]
    fits = _compatible(present, chosen) if present is not None else [None] * len(chosen)
    fitting = [number for number, fit in enumerate(fits) if fit is not False]
    # Of a session that a program ran the end is offered only where no person's is.
    runs = {number for number, one in enumerate(chosen) if isinstance(one, Handoff) and one.facts.automated}
    by_people = (number for number in fitting if number not in runs)
    offered = next(by_people, next(iter(fitting), None))
    pairs = enumerate(zip(chosen, fits, strict=True))
    return [HandoffLink(one, fit, number == offered) for number, (one, fit) in pairs], len(every)


def _is_taken_over(left: SessionFacts, facts: Sequence[SessionFacts]) -> bool:
    """Whether a later session began with the very request that a session ended with."""
    return left.unanswered is not None and any(
        one.goal is not None and one.goal.text == left.unanswered.text and one.ended_at > left.ended_at for one in facts
    )


def _as_pushed(found: WorkRecord | Handoff, present: Present | None) -> WorkRecord | Handoff:
    """What was found, without what its log says of a push that was made since, as a remote shows."""
    if isinstance(found, WorkRecord) or present is None:
        return found
    facts, told = found.facts, found.facts.reported
    spoken = [line for line in (*facts.next, *facts.questions, *filter(None, [told])) if tells_unpushed(line.text)]
    since = datetime.fromisoformat(facts.started_at)
    if not (spoken and facts.commits and present.is_at_remote(facts.commits[0].text, since)):
        return found
    ahead, asked = (tuple(one for one in lines if one not in spoken) for lines in (facts.next, facts.questions))
    reported = replace(told, text=" ".join(without_push(told.text).split())) if told else None
    return replace(found, facts=replace(facts, reported=reported, next=ahead, questions=asked))


def answer_of(link: HandoffLink) -> HandoffAnswer:
    found, compatible, offered = link
    if isinstance(found, WorkRecord):
        return stated_answer(found, compatible, offered=offered)
    return derived_answer(found, compatible, offered=offered)


def _compatible(present: Present, found: Sequence[WorkRecord | Handoff]) -> list[bool | None]:
    branches = present.branches([one.facts.branch or "" for one in found if isinstance(one, Handoff)])
    return [present.loading(one).loadable if isinstance(one, WorkRecord) else _stands(branches, one) for one in found]


def _stands(branches: Branches | None, handoff: Handoff) -> bool | None:
    if branches is None or handoff.facts.branch is None:
        return None
    standing = branches.standing(handoff.facts.branch, datetime.fromisoformat(handoff.facts.ended_at))
    return standing in CURRENT if standing not in ("unknown", "gone") else None
