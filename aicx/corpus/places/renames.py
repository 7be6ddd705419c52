"""Repositories that were renamed without a forge saying so: the remote of a folder changed, and its history went on.

One owner cannot have a fork of a repository of its own, so where a folder's remote is one of them until a day and
another one from then on, with a commit that git listed before and after, both are names of the same repository.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.places.evidence import CONFIGURED, Session, root_of
from aicx.values import dataclass


@dataclass(slots=True)
class _Named:
    """When the remote of a folder had one name, and the sessions that saw it."""

    first: str
    last: str
    sessions: set[Session]


def renamed_in_place(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The old and the new name of each repository of which the stored sessions prove it, in a settled order."""
    for root, names in sorted(_names_by_root(catalog).items()):
        pairs = [
            (old, new)
            for old, new in permutations(sorted(names), 2)
            if _owner(old) == _owner(new) and names[old].last < names[new].first
        ]
        marks = _marks_by_session(catalog, root) if pairs else {}
        for old, new in pairs:
            before, after = (set().union(*(marks.get(one, ()) for one in names[it].sessions)) for it in (old, new))
            if before & after:
                yield old, new


def _names_by_root(catalog: Catalog) -> dict[str, dict[str, _Named]]:
    marks = ",".join("?" * len(CONFIGURED))
    rows = catalog.rows(
        "SELECT folder, said, agent, session_id, min(started_at) AS first, max(completed_at) AS last"
        f" FROM evidence JOIN chunks ON chunks.rowid=chunk WHERE evidence.kind IN ({marks}) GROUP BY 1, 2, 3, 4",
        sorted(CONFIGURED),
    )
    found: dict[str, dict[str, _Named]] = {}
    for row in rows:
        names = found.setdefault(root_of(row["folder"]), {})
        named = names.setdefault(row["said"], _Named(row["first"], row["last"], set()))
        named.first, named.last = min(named.first, row["first"]), max(named.last, row["last"])
        named.sessions.add((row["agent"], row["session_id"]))
    return {root: names for root, names in found.items() if len(names) > 1}


def _marks_by_session(catalog: Catalog, root: str) -> dict[Session, set[str]]:
    found: dict[Session, set[str]] = {}
    for row in catalog.rows("SELECT agent, session_id, folder, mark FROM commits JOIN chunks ON chunks.rowid=chunk"):
        if root_of(row["folder"]) == root:
            found.setdefault((row["agent"], row["session_id"]), set()).add(row["mark"])
    return found


def _owner(project: str) -> str:
    return project.partition("/")[0].lower()
