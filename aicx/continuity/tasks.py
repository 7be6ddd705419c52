"""What the tasks that are open here say for a note, beside what was derived from a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from aicx.config import Settings
from aicx.continuity.deriving import MAX_GOAL, MAX_TEXT, Derived, Found, Wanted, newest
from aicx.continuity.note import Kind
from aicx.text import shorten
from aicx.work.place import WorkPlace
from aicx.work.record import Section, WorkRecord
from aicx.work.state import open_tasks

_KINDS: dict[Section, tuple[Kind, str]] = {
    "verified": ("confirmed", "{}"),
    "failing": ("failed", "{}"),
    "discarded_paths": ("failed", "Given up: {}"),
    "unverified": ("untried", "{}"),
    "next_steps": ("next", "{}"),
    "blocked": ("next", "Get past what blocks it: {}"),
    "questions": ("next", "Answer: {}"),
    "decisions": ("decision", "{}"),
    "active_files": ("file", "{}"),
}


def with_tasks(derived: Derived, settings: Settings, place: WorkPlace, now: datetime) -> Derived:
    """``derived`` with what somebody stated of the tasks that may be used here, which comes first.

    The goal of the task that was begun last is that of the note, unless something else was asked for since.
    """
    records = [task.record for task in open_tasks(settings, place, now).active]
    if not records:
        return derived
    stated = [one for record in records for one in _of(record)]
    found, trimmed = newest([*stated, *derived.found])
    goal = derived.goal
    if goal is None or records[0].updated_at >= goal.at:
        first = records[0]
        source = (first.goal_source,) if first.goal_source.startswith("session:") else ()
        goal = Wanted(shorten(first.goal, MAX_GOAL), first.updated_at, (first.ref, *source))
    both = {kind: trimmed.get(kind, 0) + derived.trimmed.get(kind, 0) for kind in {*trimmed, *derived.trimmed}}
    counts = {kind: sum(one.kind == kind for one in found) for kind in derived.counts}
    return replace(derived, goal=goal, found=tuple(found), trimmed=both, counts=counts)


def _of(record: WorkRecord) -> Iterator[Found]:
    """What a task says, the newest of each section first, each with the task and with what the task has it from."""
    if record.next_action:
        refs = (record.ref, *record.next_source)
        yield Found("next", shorten(record.next_action, MAX_TEXT), record.updated_at, refs)
    for section, (kind, sentence) in _KINDS.items():
        for item in reversed(record.of(section)):
            refs = (record.ref, *item.evidence)
            yield Found(kind, shorten(sentence.format(item.text), MAX_TEXT), item.at, refs)
