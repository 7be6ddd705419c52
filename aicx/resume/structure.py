"""The stages about where to look first: the files to begin with, and the places that the repository map names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aicx.errors import NotFound, UsageError
from aicx.git.roots import inside
from aicx.git.state import GitState
from aicx.managed.ours import is_ours_alone, may_be_ours
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.resume.select.files import MAX_SESSIONS, entry_files
from aicx.resume.select.report import Considered, Reason, Structure
from aicx.resume.state import ResumeState

if TYPE_CHECKING:
    from aicx.repomap import RepoMap

_WITHOUT_INDEX = {"index_available": False, "query_available": False, "last_refresh_status": "never"}
_NO_MAP = "there is no map of the repository's symbols (next: aicx map refresh)"


def choose_files(state: ResumeState) -> None:
    """Chooses the files to look at first."""
    place, ranked = state.place, state.ranked
    state.report.strategies = state.history.strategies(state.topic, state.mentions.written)
    root, roots = Path(place.state.root) if place.state.root else None, place.roots
    files, considered = entry_files(
        ranked,
        {item.session.ref: state.reader.edits(item.session) for item in ranked[:MAX_SESSIONS]},
        [
            (passage.score, [path for name in passage.files if (path := roots.relative(name, passage.cwd))])
            for passage in state.chosen
            if passage.relation is None
        ],
        [(one.score, one.edited) for one in state.report.strategies],
        state.ask,
        state.mentions,
        roots,
        state.query.limits.files,
        (lambda path: inside(root, path)) if root else None,
        (lambda path: may_be_ours(path) and is_ours_alone(root, path)) if root else (lambda path: False),
    )
    state.report.files = tuple(files)
    state.considered += considered


def consider_changed(state: ResumeState) -> None:
    """Says of the files that are changed now that they were looked at, where nothing else did."""
    known = {item.ref for item in state.considered}
    changes = [str(Ref("file", path)) for path in state.place.state.changed]
    state.considered += (Considered(ref, "file", None, (Reason.CHANGED_NOW,)) for ref in changes if ref not in known)


def ask_map(state: ResumeState) -> None:
    """The places that the map names for the task, the files to look at first above others."""
    files = [file.path for file in state.report.files]
    limit, report = state.query.limits.symbols, state.report
    report.structure, notes = read_structure(state.settings.layout, state.place.state, state.query.task, limit, files)
    state.unavailable += notes
    state.considered += (
        Considered(str(Ref.of_symbol(symbol.path, symbol.line)), "symbol", symbol.score, (Reason.IN_MAP,))
        for symbol in report.structure.symbols
    )


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
    return Structure(about, tuple(answer.items)), answer.notes


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
