"""The catalogue as a search keeps it open, with what it was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.catalog.runs import FACTS, FOUND
from aicx.engine.conditions import index_conditions
from aicx.filters import Filters
from aicx.paths import Layout
from retrieval.conditions import Condition

# What ranking needs to know of a chunk.
COLUMNS = f"id, path, agent, session_id, parent_session, lane, started_at, completed_at, project, cwd, {FACTS}"
# What is remembered of the catalogue at most: some 20 MB of rows.
_MAX_ROWS, _MAX_FILTERS = 20_000, 64
_ROWS_A_QUERY = 500


class KeptCatalog:
    """Opened anew when it or `.aicxignore` changes. Rows and filters are kept as of one state of it."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._open = ExitStack()
        self._seen: object = None
        self._opened: Opened | None = None
        self._rows: dict[str, Any] = {}  # None for a chunk that is not there, or hidden
        self._filters: dict[Filters, tuple[list[Condition], list[str]]] = {}
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
            self._rows, self._filters, self._sequence = {}, {}, self._opened.catalog.sequence
        return self._opened

    def close(self) -> None:
        self._opened = None
        self._open.close()

    def conditions(self, filters: Filters) -> tuple[list[Condition], list[str]]:
        """Returns the conditions for the indexes, and notes on how a filter was understood."""
        if filters not in self._filters:
            if len(self._filters) >= _MAX_FILTERS:
                self._filters.clear()
            self._filters[filters] = index_conditions(filters, self.now)
        return self._filters[filters]

    def rows(self, ids: Iterable[str]) -> dict[str, Any]:
        """The `COLUMNS` of chunks, without those that are gone or hidden since an index was made."""
        if len(self._rows) > _MAX_ROWS:
            self._rows.clear()
        ids = set(ids)
        unknown = sorted(ids - self._rows.keys())
        for start in range(0, len(unknown), _ROWS_A_QUERY):
            part = unknown[start : start + _ROWS_A_QUERY]
            marks = ",".join("?" * len(part))
            # The plus keeps SQLite from going through an index on `ignored`, which is every chunk.
            rows = self.now.rows(f"SELECT {COLUMNS} FROM {FOUND.format(f'+ignored=0 AND id IN ({marks})')}", part)
            found = {row["id"]: row for row in rows}
            self._rows.update((chunk, found.get(chunk)) for chunk in part)
        return {chunk: row for chunk in ids if (row := self._rows[chunk]) is not None}


def _identity(path: Path) -> tuple[int, int, int, int] | None:
    """Changes when another file takes a path's place, or this one is written to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size
