"""The repositories that have work or sessions, and where the folders of one are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.places.stored import chunks_of
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.paths import NON_REPOSITORY, Layout
from aicx.servers.dashboard.why import folders_of
from aicx.servers.dashboard.work_shapes import WorkRepository
from aicx.values import dataclass
from aicx.work.facts_index import facts_so_far
from aicx.work.files import ATTEMPTS, HANDOFFS, DamagedFile, every_folder, open_records, read_all
from aicx.work.place import WorkPlace, find_place, project_of
from aicx.work.record import WorkRecord
from aicx.work.session_facts import SessionFacts

_MAX_WORKTREES = 4  # each is asked for its branch, while a page waits


@dataclass(frozen=True, slots=True)
class Records:
    """Open tasks, and handoffs and attempts, of all repositories, those written last first."""

    tasks: Sequence[WorkRecord]
    others: Sequence[WorkRecord]
    damaged: Sequence[DamagedFile]
    names: Mapping[str, str]  # folder below ``work/`` → what the corpus calls the repository, else the folder


@dataclass(frozen=True, slots=True)
class NamedRepository:
    """A repository by its name, or by its id on this machine where it has none.

    ``folders`` are names below ``work/``; ``places`` are its working folders on this machine by the ids of worktrees,
    the one to judge by first.
    """

    name: str
    folders: frozenset[str]
    places: Mapping[str, WorkPlace]

    @property
    def place(self) -> WorkPlace | None:
        return next(iter(self.places.values()), None)


def read_records(layout: Layout) -> Records:
    folders = every_folder(layout)
    tasks, others = open_records(layout, folders), read_all(layout, folders, (HANDOFFS, ATTEMPTS))
    written = sorted([*tasks.records, *others.records], key=lambda record: record.sequence)
    names = {record.repo_id: record.project or record.repo_id for record in written}
    return Records(tasks.records, others.records, [*tasks.damaged, *others.damaged], names)


def repositories(settings: Settings, records: Records) -> list[WorkRepository]:
    """Every repository with sessions or records: those with open tasks first, then the last worked in."""
    sessions: dict[str, tuple[int, str]] = {}
    with suppress(NotFound), open_catalog(settings.layout) as opened:
        rows = opened.catalog.rows(
            "SELECT project, count(DISTINCT agent || ':' || session_id) AS sessions, max(completed_at) AS last"
            " FROM chunks WHERE ignored=0 AND stream='' AND project<>? GROUP BY project",
            (NON_REPOSITORY,),
        )
        sessions = {row["project"]: (row["sessions"], row["last"]) for row in rows}
    tasks = Counter(records.names[record.repo_id] for record in records.tasks)
    names = sorted({*sessions, *records.names.values()})
    names.sort(key=lambda name: (tasks[name] > 0, sessions.get(name, (0, ""))[1]), reverse=True)
    return [WorkRepository(name, tasks[name], sessions.get(name, (0, ""))[0]) for name in names]


def find_where(settings: Settings, name: str, records: Records) -> NamedRepository:
    """Where the work of a repository is."""
    places: dict[str, WorkPlace] = {}
    for place in _places(settings, name):
        places.setdefault(place.worktree_id, place)
        if len(places) == _MAX_WORKTREES:
            break
    named = [folder for folder, called in records.names.items() if called == name]
    own = [folder for place in places.values() for folder in place.folders]
    return NamedRepository(name, frozenset([*own, *named]), places)


def facts_of(settings: Settings, where: NamedRepository) -> tuple[list[SessionFacts], int, list[str]]:
    """Returns the facts of the repository's sessions, how many are not read yet, and notes."""
    try:
        with open_catalog(settings.layout) as opened:
            sql, values = _condition(settings, opened, where)
            facts, unread = facts_so_far(settings.layout, opened.catalog, sql, values)
            return facts, unread, [*([opened.fallback_reason] if opened.fallback_reason else []), *opened.notes]
    except NotFound:  # nothing is stored yet
        return [], 0, []


def _condition(settings: Settings, opened: Opened, where: NamedRepository) -> tuple[str, Sequence[str]]:
    known = opened.catalog.rows("SELECT 1 FROM chunks WHERE project=? LIMIT 1", (where.name,))
    if known or where.place is None:
        return "project=?", [where.name]
    return chunks_of(opened.catalog, settings, where.place.root)


def _places(settings: Settings, name: str) -> Iterator[WorkPlace]:
    """Working folders of the repository: the one that aicx was started in, then those of its sessions."""
    with suppress(NotFound, UsageError, OSError):
        here = find_place(settings, Path.cwd())
        if name in (project_of(settings, here), here.repo_id):
            yield here
    with suppress(NotFound, CorpusDamaged):
        for folder in folders_of(settings, name):
            with suppress(NotFound, UsageError, OSError):
                yield find_place(settings, folder)
