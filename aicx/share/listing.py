"""Lists chunks by what is known of them: one's own and, beside them, those of other members of a share."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.names import stored_sessions
from aicx.corpus.catalog.query import MetadataAnswer, fold_runs, open_catalog, run_key, steer, steer_item, told
from aicx.errors import NotFound
from aicx.filters import Filters
from aicx.share.limits import limits
from aicx.share.membership import Membership, need_membership
from aicx.share.seals import read_seals
from aicx.share.shares import Awaited, databases, lacks, of_others, only_own, whole
from aicx.share.tables import Database, read_rows
from indexer.vector_table import sql_list

_FACTS = ("key", "generation", "member", "chunk", "agent", "session_id", "started_at", "session_title")
_RUNS = ("automated_why", "prompt_key")


def steer_team(settings: Settings, filters: Filters, limit: int) -> MetadataAnswer:
    """The newest chunks that the filters let through, of one's own corpus and of the share that the home is part of.

    Each item has its ``member``. Raises NotFound where the home is part of no share.
    """
    membership = need_membership(settings.layout)
    wanted, lacking = limits(filters)
    shared = _Listed(settings, membership, wanted, limit)
    work = Awaited(settings.team_wait_seconds)
    if not lacking:
        work.begin(shared.look)
    own = steer(settings.layout, filters, limit)
    items = [{**item, "member": membership.member} for item in own.items]
    if lacking:
        return replace(own, items=items, notes=[*own.notes, lacks(lacking)])
    if (why_not := work.why_not()) is not None:
        return replace(own, items=items, notes=[*own.notes, only_own(why_not)])
    items = sorted([*items, *shared.items], key=lambda item: datetime.fromisoformat(item["started_at"]), reverse=True)
    return replace(own, items=items[:limit], matched=own.matched + shared.matched, notes=[*own.notes, *shared.notes])


class _Listed:
    """The newest chunks of other members that fulfil conditions, but for those of sessions that are stored here."""

    def __init__(self, settings: Settings, membership: Membership, wanted: list[str], limit: int) -> None:
        self._settings = settings
        self._membership = membership
        self._where = " AND ".join([of_others(membership), *wanted])
        self._limit = limit
        self.items: list[dict[str, Any]] = []
        self.matched = 0
        self.notes: list[str] = []

    def look(self) -> None:
        """Fills ``items``, ``matched`` and ``notes``."""
        found: list[tuple[Database, dict[str, Any]]] = []
        for database in databases(self._membership, self.notes):
            with whole(self._membership, database, self.notes):
                database.refresh(only_read=True)
                live = read_seals(database).generations()
                rows = read_rows(database.chunks, (*_FACTS, *_RUNS), self._where)
                found += ((database, row) for row in rows if row["generation"] in live)
        stored = set()
        with suppress(NotFound), open_catalog(self._settings.layout) as opened:
            stored = stored_sessions(opened.catalog, (row["session_id"] for _, row in found))
        # Of a chunk that several members shared the first one's counts.
        of_chunk = {
            row["chunk"]: (database, row)
            for database, row in sorted(found, key=lambda one: str(one[1]["member"]), reverse=True)
            if (row["agent"], row["session_id"]) not in stored
        }
        self.matched = len(of_chunk)
        newest = sorted(of_chunk.values(), key=lambda one: (one[1]["started_at"], one[1]["chunk"]), reverse=True)
        folded = fold_runs(newest, lambda one: str(one[1]["session_id"]), lambda one: run_key(one[1]), self._limit)
        for database in {id(one[0]): one[0] for one, _ in folded}.values():
            with whole(self._membership, database, self.notes):
                self._take(database, [(row, runs) for (of, row), runs in folded if of is database])

    def _take(self, database: Database, chosen: list[tuple[dict[str, Any], list[str]]]) -> None:
        keys = sql_list([row["key"] for row, _ in chosen])
        read = read_rows(database.chunks, ("key", "generation", "sidecar"), f"key IN ({keys})")
        sidecars = {(row["key"], row["generation"]): orjson.loads(row["sidecar"]) for row in read}
        for row, runs in chosen:
            known = {**told(row, runs), "prompt_key": row["prompt_key"]}
            item = steer_item(sidecars[row["key"], row["generation"]], Path(), row["session_title"], known)
            self.items.append({**item, "path": "", "member": row["member"]})
