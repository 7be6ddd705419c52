"""Which session a restore is of, and what it gives back of it. Imported only where there is something to restore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.stored import chunks_of
from aicx.errors import AicxError, MalformedPolicy, NotFound, UsageError
from aicx.evidence import read_steps
from aicx.evidence.texts import sentences
from aicx.sessions.pending import PERSON, Asker, Mark
from aicx.sessions.restore_block import Because, Part, RestoreAnswer, RestoredItem, compose
from aicx.sessions.stored import StoredSession, find_stored, load_stored, short_refs
from aicx.sessions.summary import Summary, summary_of
from aicx.text import first_of, instant
from aicx.work.place import WorkPlace, project_of
from aicx.work.record import GitContext, WorkRecord
from aicx.work.session_facts import Said
from aicx.work.state import open_tasks

if TYPE_CHECKING:
    from aicx.memory.answers import MemoryEntry

# Of a long session the beginning, where its goal is, and the end, where it was when its context was lost.
_FIRST_CHUNKS, _LAST_CHUNKS = 20, 180
_MAX_MEMORY, _MAX_UNCOMMITTED, _MAX_DONE = 5, 12, 3
_MAX_QUESTIONS = 4  # to the memory
# What a restore may show of the memory. What is kept apart, archived or replaced never comes back this way.
_SHOWN = frozenset({"accepted", "candidate", "stale"})


class Chosen(NamedTuple):
    """The session that is restored, None where nothing of it is stored, and why it is that one."""

    stored: StoredSession | None
    because: Because | None


def named_session(settings: Settings, session: str) -> StoredSession:
    with open_catalog(settings.layout) as opened:
        return find_stored(opened.catalog, session)


def choose(settings: Settings, place: WorkPlace, asker: Asker, marks: Sequence[Mark]) -> Chosen:
    try:
        with open_catalog(settings.layout) as opened:
            if marks:
                return Chosen(_load(opened.catalog, marks[0].agent, marks[0].session), "compacted")
            own = _own(opened.catalog, asker)
            if own is not None:
                return Chosen(own, "own")
            latest = _latest(settings, opened.catalog, place)
            return Chosen(latest, "latest") if latest else Chosen(None, None)
    except NotFound:  # nothing is stored yet
        return Chosen(None, "compacted" if marks else None)


def _own(catalog: Catalog, asker: Asker) -> StoredSession | None:
    """The session that asks. Where only its id is known, as by `AICX_SESSION_ID`, it is of whatever agent has it."""
    if asker.agent != PERSON or not asker.session:
        return _load(catalog, asker.agent, asker.session)
    try:
        return find_stored(catalog, asker.session)
    except (NotFound, UsageError):
        return None


def _load(catalog: Catalog, agent: str, session: str | None) -> StoredSession | None:
    try:
        return load_stored(catalog, agent, session) if session else None
    except NotFound:
        return None


def _latest(settings: Settings, catalog: Catalog, place: WorkPlace) -> StoredSession | None:
    """The session that ended last in this repository; one that a program ran only where no person's is."""
    where, values = chunks_of(catalog, settings, place.root)
    rows = catalog.rows(
        "SELECT c.agent AS agent, c.session_id AS session_id, max(c.completed_at) AS last,"
        " max(s.automated_why IS NOT NULL) AS automated FROM (SELECT * FROM chunks WHERE"
        f" ignored=0 AND stream='' AND coalesce(lane, 'primary')<>'subagent' AND {where}) c"
        " LEFT JOIN sessions s ON s.agent=c.agent AND s.session_id=c.session_id"
        " GROUP BY c.agent, c.session_id ORDER BY automated, last DESC LIMIT 1",
        values,
    )
    return load_stored(catalog, rows[0]["agent"], rows[0]["session_id"]) if rows else None


def give_back(
    settings: Settings,
    folder: Path,
    place: WorkPlace,
    chosen: Chosen,
    marks: Sequence[Mark],
    now: datetime,
    max_chars: int,
) -> RestoreAnswer:
    notes: list[str] = []
    stored, because = chosen
    items: list[RestoredItem] = []
    short: dict[str, str] = {}
    if stored is not None:
        first, last = stored.paths[:_FIRST_CHUNKS], stored.paths[_FIRST_CHUNKS:][-_LAST_CHUNKS:]
        steps, unread = read_steps(settings.layout, [*first, *last])
        notes += unread
        found = summary_of(stored, steps)
        items += of_session(found) if found else []
        short = short_refs(settings, stored)
    elif because is not None:
        notes.append("nothing of the session that was compacted is stored yet; `aicx store` adds it")
    if stored is None or because != "named" or _is_of(stored, settings, place):
        tasks = open_tasks(settings, place, now)
        notes += [f"{one.path}: {one.why}" for one in tasks.damaged]
        items += of_task(tasks.active[0].record) if tasks.active else []
        items += uncommitted(tasks.context)
        items += of_memory(settings, folder, items, now, notes)
    else:
        notes.append("the session is of another repository: task, changed files and memory of this one are left out")
    # Changed files alone say nothing that git does not.
    if stored is None and all(item.part == "files" for item in items):
        items = []
    return replace(
        compose(_head(stored, because, marks), items, _more(stored), short, max_chars),
        session=stored.ref if stored else None,
        because=because,
        stored_to=stored.ended_at if stored else None,
        notes=tuple(notes),
    )


def _is_of(stored: StoredSession, settings: Settings, place: WorkPlace) -> bool:
    """Whether a session worked in the repository of ``place``."""
    inside = any(Path(folder).is_relative_to(place.root) for folder in stored.roots.folders)
    return inside or stored.project == project_of(settings, place)


def _head(stored: StoredSession | None, because: Because | None, marks: Sequence[Mark]) -> list[str]:
    """Says which session it is, in words of aicx alone: what a log says is between the fences."""
    if because == "compacted":
        # Clients say it before they look whether there is enough to compact.
        lines = [f"A compaction of this session began at {instant(marks[0].at, 'seconds')}."]
    elif because == "latest":
        lines = ["This is from the latest session of this repository, which is another one."]
    else:
        lines = []
    if stored is not None:
        lines.append(f"Session {stored.ref}, as far as it is stored: up to {stored.ended_at[:19]}Z.")
    return lines


def _more(stored: StoredSession | None) -> str:
    recall = "`aicx search --in windows QUESTION` searches what is not here"
    return f"{recall}; `aicx show --summarize {stored.ref}` sums the session up." if stored else f"{recall}."


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
    """Asks the memory about what was wanted, then what is agreed here anyway, each record with its status.

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
    """Splits what was wanted into sentences: a record would have to share more words with all of it at once."""
    from aicx.memory.recall.table import asked

    wanted = (said.text for item in items if item.part in ("goal", "task") for said in sentences(item.text))
    return [text for text in wanted if asked(text)][:_MAX_QUESTIONS]
