"""Where the repositories of records are on this machine, so that their own policies count wherever records are read.

Known from the stored sessions, and noted when a record is proposed. The notes are derived and may be deleted.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import AicxError, NotFound, StoreUnwritable
from aicx.git.identity import find_repository
from aicx.memory.reading import Scope
from aicx.paths import Layout
from aicx.storage.atomic import replace_file

_MAX_FOLDERS = 20  # folders of a repository


def note_root(layout: Layout, scope: Scope) -> None:
    """Notes the working folder of a scope that is new. A home that cannot be written is left as it is.

    The caller holds the memory's lock.
    """
    if scope.repository is None or scope.root is None:
        return
    known, root = _noted(layout), str(scope.root)
    before = known.get(scope.repository, [])
    if root in before:
        return
    known[scope.repository] = [root, *before][:_MAX_FOLDERS]
    try:
        replace_file(layout.memory_roots, orjson.dumps(known))
    except (StoreUnwritable, orjson.JSONEncodeError):  # or the folder has a name that is not UTF-8
        return


def roots_of(settings: Settings, repository: str) -> list[Path]:
    """The working folders of a repository that are there."""
    found = dict.fromkeys(map(Path, _noted(settings.layout).get(repository, [])))
    try:
        with open_catalog(settings.layout) as opened:
            rows = opened.catalog.rows(
                "SELECT DISTINCT cwd FROM chunks WHERE project=? AND cwd IS NOT NULL", [repository]
            )
    except NotFound:  # nothing is stored
        rows = []
    for row in rows:
        if os.path.isdir(row["cwd"]):  # noqa: PTH112  Path.is_dir raises for what may not be read
            with suppress(AicxError):  # a bare repository has no working folder, and so no policy of its own
                found[find_repository(Path(row["cwd"])).root] = None
    return [root for root in found if os.path.isdir(root)]  # noqa: PTH112


def _noted(layout: Layout) -> dict[str, list[str]]:
    try:
        found = orjson.loads(layout.memory_roots.read_bytes())
        return {str(name): [str(root) for root in roots] for name, roots in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
