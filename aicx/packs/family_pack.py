"""The pack of a family: what the tasks and sessions of a repository say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from aicx.config import Settings
from aicx.errors import NotFound
from aicx.fields import taken_from
from aicx.memory.answers import MemoryEntry
from aicx.packs.answers import FamilyOwner, FamilyPack
from aicx.packs.gathering import Gathered, applied_of, gather, git_of, memory_of, recent_commits, scope_of
from aicx.packs.lists import Owner, chosen, focused, lists_of, owners_of
from aicx.packs.query import Applied, PackQuery
from aicx.text import instant
from aicx.work.files import CLOSED, TASKS, read_all
from aicx.work.place import looking
from aicx.work.record import WorkRecord


def family_pack(settings: Settings, query: PackQuery) -> tuple[FamilyPack, list[str]]:
    """The pack of a repository, and references of what it quotes.

    Raises NotFound where nothing is known of it in the time asked for.
    """
    gathered = gather(settings, query)
    limits, place = query.limits, gathered.place
    records = read_all(settings.layout, place.folders, (TASKS, CLOSED)).records
    tasks = [record for record in records if record.kind == "thread"]
    here = owners_of(_within(gathered, tasks, "workspace"), gathered.within("workspace"))
    scope = scope_of(query, bool(here), "tasks and sessions")
    applied = applied_of(scope)
    owners = here if applied == "workspace" else owners_of(_within(gathered, tasks, applied), gathered.within(applied))
    if query.focus:
        owners = focused(owners, query.focus)
    if not owners:
        about = f" about {query.focus!r}" if query.focus else ""
        raise NotFound(
            f"no task and no session{about} is known here in the time and scope asked for",
            hint="--scope family looks at all worktrees; `aicx store` adds sessions",
        )
    left_out = {"owners": len(owners) - limits.owners} if len(owners) > limits.owners else {}
    owners = owners[: limits.owners]
    lists = lists_of(owners, query.now)
    for name, items in lists.items():
        if len(items) > limits.items:
            left_out[name] = len(items) - limits.items
            lists[name] = items[: limits.items]
    git = git_of(gathered)
    memory: list[MemoryEntry] = []
    remarks = [*gathered.remarks]
    if not query.known_only:
        memory, more = memory_of(settings, query, query.focus, limits.memory)
        remarks += more
    with looking(place, query.now) as present:
        pack = FamilyPack(
            generated_at=instant(query.now, "seconds"),
            place=gathered.place_of(present),
            scope=scope,
            filters=gathered.filters,
            limits=asdict(limits),
            owners=_shown(owners, query),
            **lists,
            commits=recent_commits(git, query, limits.commits),
            memory=memory,
            left_out=left_out,
            remarks=list(dict.fromkeys([*remarks, *git.notes])),
        )
    refs = [ref for owner in owners for ref in owner.sessions]
    refs += [ref for owner in owners if owner.task for ref in (*owner.task.sources, owner.task.goal_source)]
    refs += [ref for items in lists.values() for item in items for ref in item.refs]
    return pack, refs


def _within(gathered: Gathered, tasks: Sequence[WorkRecord], applied: Applied) -> list[WorkRecord]:
    """The tasks of a scope and time: those that lived in it."""
    period = gathered.query.period
    return [
        task
        for task in tasks
        if period.holds(instant(task.created_at, "seconds"), instant(task.updated_at, "seconds"))
        and (applied == "family" or gathered.is_here(task))
    ]


def _shown(owners: Sequence[Owner], query: PackQuery) -> list[FamilyOwner]:
    named = {owner.ref for owner in chosen(owners, query.limits.chosen)}
    return [
        taken_from(
            owner,
            FamilyOwner,
            kind="task" if owner.task is not None else "session",
            chosen=owner.ref in named,
            reason="focus_query" if query.focus else "in_scope",
        )
        for owner in owners
    ]
