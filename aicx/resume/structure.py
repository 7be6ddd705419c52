"""Queries the repository map for a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aicx.errors import NotFound, UsageError
from aicx.git.state import GitState
from aicx.paths import Layout
from aicx.resume.select.report import Structure

if TYPE_CHECKING:
    from aicx.repomap import RepoMap

_WITHOUT_INDEX = {"index_available": False, "query_available": False, "last_refresh_status": "never"}
_NO_MAP = "there is no map of the repository's symbols (next: aicx map refresh)"


def read_structure(
    layout: Layout, state: GitState, task: str, limit: int, boost: Sequence[str]
) -> tuple[Structure, list[str]]:
    """Where the repository map says to look for a task; the map is asked, never refreshed. Nothing without a task."""
    if state.root is None or not task.strip():
        return Structure(), []
    if not layout.repomap.is_dir():
        # Nothing was ever mapped on this machine: not worth importing what would say so.
        return Structure(_WITHOUT_INDEX), [_NO_MAP]
    from aicx.repomap import open_map

    try:
        found = open_map(layout, Path(state.root))
    except (NotFound, UsageError) as error:
        return Structure(), [f"no map: {error.message}"]
    about = _about(layout, found)
    if about is None:
        # Asked all the same, it would read the names and headings of the whole repository.
        return Structure(_WITHOUT_INDEX), [_NO_MAP]
    answer = found.answer(task, limit, boost)
    return Structure(about, tuple(answer.entries)), answer.notes


def _about(layout: Layout, found: RepoMap) -> Mapping[str, Any] | None:
    """What a stored map says of itself; None where there is none that can be read.

    The map's own status also looks at the grammars and counts what is in every file, which takes longer than asking.
    """
    from aicx.repomap.store import MapLocation, MapStore

    store = MapStore.open_for_reading(MapLocation.of(layout, found.repository))
    if store is None:
        return None
    with closing(store):
        return {
            "index_available": True,
            "query_available": True,
            "last_refresh_status": store.about("status"),
            "last_refresh_at": store.about("refreshed_at"),
            "files_indexed": store.about("files_indexed"),
            "symbols_indexed": store.about("symbols_indexed"),
        }
