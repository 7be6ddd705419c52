"""The lines that a restore is made of: of the session, of the open task, of git and of the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.errors import AicxError, MalformedPolicy
from aicx.evidence.texts import sentences
from aicx.sessions.restore_block import Part, RestoredItem
from aicx.sessions.summary import Summary
from aicx.text import first_of
from aicx.work.record import GitContext, WorkRecord
from aicx.work.session_facts import Said

if TYPE_CHECKING:
    from aicx.memory.answers import MemoryEntry

_MAX_MEMORY, _MAX_UNCOMMITTED, _MAX_DONE = 5, 12, 3
_MAX_QUESTIONS = 4  # to the memory
# What a restore may show of the memory. What is kept apart, archived or replaced never comes back this way.
_SHOWN = frozenset({"accepted", "candidate", "stale"})


def of_session(found: Summary) -> Iterator[RestoredItem]:
    if found.goal is not None:
        yield RestoredItem("goal", found.goal.text, found.goal.refs)
    if found.asked is not None:
        yield RestoredItem("goal", f"last asked: {found.asked.text}", found.asked.refs)
    parts: tuple[tuple[Part, Sequence[Said]], ...] = (
        ("done", found.accomplished[:_MAX_DONE]),
        ("next", found.next),
        ("failed", found.failed),
        ("gotchas", found.gotchas),
        ("decisions", found.decisions),
        ("preferences", found.preferences),
        ("questions", found.questions),
    )
    yield from (RestoredItem(part, line.text, line.refs) for part, lines in parts for line in lines)
    for one in found.key_files:
        times = f" {one.times} times" if one.times > 1 else ""
        yield RestoredItem("files", f"`{one.name}`, changed{times}", one.refs)


def of_task(record: WorkRecord) -> Iterator[RestoredItem]:
    yield RestoredItem("task", record.goal, (record.ref,))
    if record.next_action:
        yield RestoredItem("next", f"stated in the task: {record.next_action}", (record.ref,))
    for section in ("discarded_paths", "failing", "risks"):
        yield from (
            RestoredItem("failed", f"stated in the task: {text}", (record.ref,)) for text in record.texts(section)
        )


def uncommitted(context: GitContext) -> Iterator[RestoredItem]:
    changed = context.changed_files
    if changed:
        paths = first_of((f"`{path}`" for path in changed), _MAX_UNCOMMITTED)
        yield RestoredItem("files", f"changed and not committed now: {paths}")


def of_memory(
    settings: Settings, folder: Path, items: Sequence[RestoredItem], now: datetime, notes: list[str]
) -> Iterator[RestoredItem]:
    """What the memory says to what was wanted, then what is agreed here anyway, each record with its status.

    Raises MalformedPolicy.
    """
    if not settings.layout.memory.is_dir():
        return
    # Imported here: most homes have no memory.
    from aicx.memory.briefing import brief
    from aicx.memory.reading import find_scope
    from aicx.memory.recall.asking import RecallQuery
    from aicx.memory.recall.run import recall

    scope = find_scope(settings, folder)
    found: dict[str, MemoryEntry] = {}
    try:
        for question in _questions(items):
            query = RecallQuery(question, now, scope, _MAX_MEMORY, statuses=frozenset({"stale"}))
            found |= {entry.ref: entry for entry in recall(settings, query).entries if entry.status in _SHOWN}
        found |= {entry.ref: entry for entry in brief(settings, scope, "", now, _MAX_MEMORY).agreed}
    except MalformedPolicy:
        raise
    except AicxError as error:
        notes.append(f"the memory was not asked: {error.message}")
    for entry in list(found.values())[:_MAX_MEMORY]:
        status = "candidate, not agreed" if entry.status == "candidate" else entry.status
        why = f": {entry.reasons[0]}" if entry.status == "stale" and entry.reasons else ""
        yield RestoredItem("memory", entry.statement or "", (entry.ref,), f"{status}{why}")


def _questions(items: Sequence[RestoredItem]) -> list[str]:
    """What was wanted, sentence by sentence: a record would have to share more words with all of it at once."""
    from aicx.memory.recall.terms import asked

    wanted = (said.text for item in items if item.part in ("goal", "task") for said in sentences(item.text))
    return [text for text in wanted if not asked(text).empty][:_MAX_QUESTIONS]
