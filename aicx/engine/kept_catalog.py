"""The catalogue as a search keeps it open, with what it was asked before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.filters import agent_notes, conditions, days_between, parse_kinds, parse_lanes
from aicx.corpus.catalog.names import is_glob, short_reference
from aicx.corpus.catalog.query import FACTS, FOUND, Opened, open_catalog
from aicx.corpus.catalog.sightings import SightedSubjects
from aicx.filters import FILTERS, LANES, UNSET, Filters
from aicx.paths import Layout
from aicx.values import batches
from retrieval.questions import AnyOf, Between, Condition, NoneOf, OneOf

# What ranking needs to know of a chunk.
COLUMNS = f"id, path, agent, session_id, parent_session, lane, started_at, completed_at, project, cwd, {FACTS}"
# What is remembered of the catalogue at most: some 20 MB of rows.
_MAX_ROWS, _MAX_FILTERS = 20_000, 64
_ROWS_A_QUERY = 500


class KeptCatalog:
    """Opened anew when it or `.aicxignore` changes. Rows and filters are kept as of one state of it."""

    # Filters as conditions for the indexes, and as one in SQL on ``chunks``, with notes on how they were understood.
    conditions: Callable[[Filters], tuple[list[Condition], list[str]]]
    selection: Callable[[Filters], tuple[str, list[Any], list[str]]]

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._open = ExitStack()
        self._seen: object = None
        self._opened: Opened | None = None
        self._rows: dict[str, Any] = {}  # None for a chunk that is not there, or hidden
        self._short: dict[str, str] = {}
        self._subjects: SightedSubjects | None = None
        self._asked_again = False  # of the subjects, in the same state
        self._sequence = -1

    @property
    def now(self) -> Catalog:
        """The catalogue as `refresh` found it."""
        assert self._opened is not None, "refresh comes first"
        return self._opened.catalog

    def refresh(self, *, without: bool = False) -> Opened:
        """The catalogue of now; with ``without`` one that is made from the sidecars."""
        seen = tuple(_identity(path) for path in (self._layout.catalog, self._layout.ignore_file))
        if self._opened is None or self._seen != seen or without:
            self.close()
            self._opened = self._open.enter_context(open_catalog(self._layout, without=without))
            self._sequence = -1
            self._seen = seen
        if self._sequence != self._opened.catalog.sequence:
            self._rows, self._short, self._sequence = {}, {}, self._opened.catalog.sequence
            self.conditions = lru_cache(_MAX_FILTERS)(partial(index_conditions, catalog=self.now))
            self.selection = lru_cache(_MAX_FILTERS)(partial(conditions, catalog=self.now))
            self._subjects, self._asked_again = None, False
        return self._opened

    def close(self) -> None:
        self._opened = None
        self._open.close()

    def short_reference(self, chunk_id: str, agent: str, session_id: str) -> str:
        """`names.short_reference`, looked up once a session."""
        if len(self._short) > _MAX_ROWS:
            self._short.clear()
        return short_reference(chunk_id, agent, session_id, self.now, self._short)

    def subjects(self) -> SightedSubjects | None:
        """The subjects of commits in logs, from the second question on: a single one is answered without."""
        if self._subjects is None and self._asked_again:
            self._subjects = SightedSubjects(self.now)
        self._asked_again = True
        return self._subjects

    def rows(self, ids: Iterable[str]) -> dict[str, Any]:
        """The `COLUMNS` of chunks, without those that are gone or hidden since an index was made."""
        if len(self._rows) > _MAX_ROWS:
            self._rows.clear()
        ids = set(ids)
        unknown = sorted(chunk for chunk in ids if chunk not in self._rows)
        for part in batches(unknown, _ROWS_A_QUERY):
            marks = ",".join("?" * len(part))
            # The plus keeps SQLite from going through an index on `ignored`, which is every chunk.
            rows = self.now.rows(f"SELECT {COLUMNS} FROM {FOUND.format(f'+ignored=0 AND id IN ({marks})')}", part)
            self._rows |= dict.fromkeys(part) | {row["id"]: row for row in rows}
        return {chunk: row for chunk in ids if (row := self._rows[chunk]) is not None}


def _identity(path: Path) -> tuple[int, int, int, int] | None:
    """Changes when another file takes a path's place, or this one is written to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def index_conditions(filters: Filters, catalog: Catalog) -> tuple[list[Condition], list[str]]:
    """Conditions with the same meaning as the filters have for `steer`, and notes on how a filter was read.

    A plain comparison of a column that the indexes have stays one. Everything else (a part of a name, a pattern, a
    touched file, a run that a chunk was found to belong to later, a field that only the catalogue has) is looked up in
    the catalogue first.
    """
    found: list[Condition] = []
    notes: list[str] = []
    for row in FILTERS:
        value = getattr(filters, row.name)
        if value in UNSET or not row.limits:
            continue
        if row.name == "date":
            begin, end = days_between(value)
            found += [_since(begin)] if begin else []
            found += [Between("started_at", high=int(end.timestamp()) - 1)] if end else []
        elif row.name in _COMPARED and not (row.name == "branch" and any(map(is_glob, value))):
            found.append(_COMPARED[row.name](value))
            notes += agent_notes(value, catalog) if row.name == "agent" else ()
        else:
            condition, said = _looked_up(row.name, value, catalog)
            found.append(condition)
            notes += said
    return found, notes


def _looked_up(name: str, value: Any, catalog: Catalog) -> tuple[Condition, list[str]]:
    where, values, notes = conditions(Filters(**{name: value}), catalog)
    if name == "exclude_session":
        # What is left out is far less than what is not.
        return NoneOf("session_id", _column("session_id", f"ignored=0 AND NOT ({where})", values, catalog)), notes
    if name == "branch":
        return OneOf("branch", _column("branch", where, values, catalog)), notes
    if name == "session":
        return OneOf("session_id", _column("session_id", where, values, catalog)), notes
    if name == "project":
        # A folder outside any repository is a project of its own for whoever asks.
        projects = _column("project", where, values, catalog)
        repositories = tuple(project for project in projects if "/" in project)
        folders = _column("cwd", f"{where} AND instr(project, '/')=0", values, catalog)
        return AnyOf((OneOf("project", repositories), OneOf("cwd", folders))), notes
    return OneOf("id", _column("id", where, values, catalog)), notes


def _column(column: str, where: str, values: Sequence[object], catalog: Catalog) -> tuple[str, ...]:
    rows = catalog.rows(f"SELECT DISTINCT {column} AS value FROM chunks WHERE {where}", values)
    return tuple(row["value"] for row in rows if row["value"] is not None)


# The columns hold whole seconds, so the ends are widened to whole seconds too.
def _since(at: datetime) -> Condition:
    return Between("completed_at", low=int(at.timestamp()))


def _until(at: datetime) -> Condition:
    return Between("started_at", high=int(at.timestamp()))


_COMPARED: dict[str, Callable[[Any], Condition]] = {
    "agent": lambda agents: OneOf("agent", tuple(agent.lower() for agent in agents)),
    "kind": lambda kinds: OneOf("kind", parse_kinds(kinds)),
    "lane": lambda lanes: NoneOf("lane", tuple(lane for lane in LANES if lane not in parse_lanes(lanes))),
    "branch": lambda names: OneOf("branch", names),
    "since": _since,
    "until": _until,
    "hours": _since,
}
