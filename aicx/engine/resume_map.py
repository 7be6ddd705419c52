"""What the repository map says of a task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aicx.continuity.git import GitState
from aicx.continuity.report import Structure, Symbol
from aicx.errors import NotFound, UsageError
from aicx.paths import Layout

_AVAILABLE = ("provider_available", "index_available", "query_available", "refresh_available")
_NO_MAP = "there is no map of the repository's symbols (next: aicx map refresh)"


def read_structure(
    layout: Layout, state: GitState, task: str, limit: int, boost: Sequence[str]
) -> tuple[Structure, list[str]]:
    """What the repository map says of the task; the map is asked, never refreshed."""
    if state.root is None:
        return Structure(), []
    if not layout.repomap.is_dir():
        # Nothing was ever mapped on this machine: not worth importing what would say so.
        return Structure(dict.fromkeys(_AVAILABLE, False)), [_NO_MAP]
    from aicx.repomap import open_map

    try:
        found = open_map(layout, Path(state.root))
    except (NotFound, UsageError) as error:
        return Structure(), [f"no map: {error.message}"]
    status = found.status(count_changes=False)
    fields = {
        name: getattr(status, name)
        for name in (
            *_AVAILABLE,
            *("last_refresh_status", "files_indexed", "symbols_indexed"),
        )
    }
    if not status.index_available:
        return Structure(fields), [_NO_MAP]
    if not task.strip():
        return Structure(fields), []
    symbols = tuple(
        Symbol(entry.path, entry.line, entry.symbol, entry.kind, entry.score, tuple(entry.reasons))
        for entry in found.query(task, limit, boost)
    )
    return Structure(fields, symbols), []
