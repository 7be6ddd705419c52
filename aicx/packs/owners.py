"""Who says something in a repository: each task, and each session that belongs to none. Every session has one owner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from aicx.packs.choosing import covers, said_by, says_together
from aicx.packs.gathering import goal_of, terms_of
from aicx.text import instant, shorten
from aicx.values import dataclass
from aicx.work.handoff import hands_on
from aicx.work.record import MAX_TITLE, WorkRecord
from aicx.work.session_facts import SessionFacts

_OPEN = frozenset({"in_progress", "paused", "blocked", "active"})


@dataclass(slots=True)
class Owner:
    """A task with its sessions, or one session. ``parts`` are its sessions, the newest first."""

    ref: str
    title: str
    status: str
    started_at: str
    updated_at: str
    branch: str | None
    task: WorkRecord | None = None
    parts: list[SessionFacts] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.status in _OPEN

    @property
    def sessions(self) -> list[str]:
        return [facts.ref for facts in self.parts]


def owners_of(tasks: Iterable[WorkRecord], facts: Sequence[SessionFacts]) -> list[Owner]:
    """The owners, the last active first. A session that several tasks name belongs to the one that changed last.

    Subagents, and sessions that left nothing, own nothing.
    """
    owners: list[Owner] = []
    taken: dict[str, Owner] = {}
    for task in sorted(tasks, key=lambda one: (-one.updated_at.timestamp(), one.id)):
        owner = _of_task(task)
        owners.append(owner)
        for ref in (*task.sources, task.goal_source):
            if ref.startswith("session:"):
                taken.setdefault(ref, owner)
    for one in facts:
        ref = one.ref
        known = taken.get(ref)
        if known is not None:
            known.parts.append(one)
            known.started_at = min(known.started_at, one.started_at)
            known.updated_at = max(known.updated_at, one.ended_at)
            known.branch = known.branch or one.branch
        elif hands_on(one):
            owner = _of_session(ref, one)
            taken[ref] = owner  # its part in another folder of the repository is the same session
            owners.append(owner)
    for owner in owners:
        owner.parts.sort(key=lambda one: one.ended_at, reverse=True)
    owners.sort(key=lambda owner: owner.ref)
    return sorted(owners, key=lambda owner: owner.updated_at, reverse=True)


def focused(owners: Iterable[Owner], focus: str) -> list[Owner]:
    """The owners that have to do with a question, those that say its words beside each other first."""
    wanted = terms_of([focus])
    found = []
    for owner in owners:
        said = [text for facts in owner.parts for text in said_by(facts)]
        if owner.task is not None:
            said += [owner.task.goal, owner.task.next_action, *(item.text for item in owner.task.items)]
        texts = [owner.title, *said]
        if covers(wanted, texts):
            found.append((not says_together(focus, texts), owner))
    return [owner for _, owner in sorted(found, key=lambda pair: pair[0])]


def chosen(owners: Sequence[Owner], count: int) -> list[Owner]:
    """The owners that a summary is about: open tasks, then sessions left open, then the last active."""
    ordered = sorted(owners, key=lambda owner: (not (owner.task and owner.is_open), not owner.is_open))
    return ordered[:count]


def _of_task(task: WorkRecord) -> Owner:
    branch = task.git_context.branch if task.git_context else None
    begun, changed = instant(task.created_at, "seconds"), instant(task.updated_at, "seconds")
    return Owner(task.ref, task.title, task.status, begun, changed, branch, task)


def _of_session(ref: str, facts: SessionFacts) -> Owner:
    title = facts.title or shorten(goal_of(facts) or "", MAX_TITLE) or "a session without a goal"
    return Owner(ref, title, facts.state, facts.started_at, facts.ended_at, facts.branch, None, [facts])
