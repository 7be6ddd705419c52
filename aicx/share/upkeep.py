"""Upkeep of a share, by one machine at a time: rows go into indexes, pieces are merged, what was forgotten is deleted.

Who has the lease is a row. A holder loses it by being gone: who waits has seen the same beat for a while, by its own
clock, so clocks may be apart. Two maintainers at once would do no harm, only work twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from math import isqrt
from typing import Any
from uuid import uuid4

import orjson

from aicx.errors import plainly
from aicx.paths import Layout
from aicx.share.membership import Membership
from aicx.share.seals import drop_rows, read_seals, read_stale
from aicx.share.tables import (
    FAILURES,
    SAMPLE,
    VECTORS,
    WORDS,
    Database,
    ShareAway,
    committed,
    lease_table,
    read_rows,
    reading,
    words_index,
)
from aicx.storage import replace_file
from indexer.vector_table import optimize, sql_list
from retrieval.mapped import DRAWS

# Rows that no index has may be so many before a push folds them in; and pieces of the tables.
_MAX_UNINDEXED, _MAX_PIECES = 256, 24
# With fewer passages a question compares all of them nearly as soon as it asks an index.
MIN_PASSAGES = 100_000
# A question looks into each part of an index of vectors; every upkeep adds one.
_MAX_PARTS = 16
# Rows by which the passages of all are estimated.
_SAMPLED = 1_000
_EMBEDDED = "spans IS NOT NULL AND spans != '[]'"
# What a reader may still be reading is kept so long.
GRACE = timedelta(minutes=30)
# A holder whose beat stays the same for so long, by the clock of who waits, is gone.
PATIENCE = timedelta(minutes=15)
_LEASE = ("holder", "beat")


def is_due(database: Database, unindexed: int = _MAX_UNINDEXED, pieces: int = _MAX_PIECES) -> bool:
    """Whether the share has more rows outside its indexes, more pieces, or indexes with words of deleted rows.

    What is left to do where a service keeps the files is a few questions, and is always due.
    """
    if database.is_service:
        return True
    with reading(database.uri):
        most = max(table.stats()["fragment_stats"]["num_fragments"] for table in (database.chunks, database.sessions))
    return most > pieces or count_unindexed(database) > unindexed or bool(read_stale(database))


def maintain(
    layout: Layout,
    membership: Membership,
    database: Database,
    *,
    grace: timedelta = GRACE,
    patience: timedelta = PATIENCE,
    index: Callable[[Database], None] | None = None,
    passages: int = MIN_PASSAGES,
) -> str | None:
    """Looks after the share, if nobody else does; returns why it was left, or None. Killed, it is done again later.

    ``index`` takes the rows into the indexes in another way, before what is left is folded in here. From so many
    ``passages`` on, those with vectors have an index too.
    """
    with _lease(layout, membership, database, patience) as free:
        if not free:
            return "another machine is looking after the share"
        try:
            take_out_hidden(database)
            if index is not None:
                index(database)
                database.refresh()
            if read_stale(database):
                renew_indexes(database)
            keep_vectors_index(database, passages)
            for table in () if database.is_service else (database.chunks, database.sessions):
                committed(partial(optimize, table, grace))
        except (ShareAway, *FAILURES) as error:
            # A push that came in between: nothing is lost, and the next push does it.
            return plainly(error).partition("\n")[0]
    return None


def take_out_hidden(database: Database) -> None:
    """Deletes the rows of sessions that their member forgot, whichever of its machines wrote them."""
    database.refresh()
    seals = read_seals(database)
    gone = sorted(
        seal.generation
        for seal in seals.newest.values()
        if seal.generation and (seal.member, seal.agent, seal.session_id) in seals.hidden
    )
    if gone:
        drop_rows(database, f"generation IN ({sql_list(gone)})")


@contextmanager
def _lease(layout: Layout, membership: Membership, database: Database, patience: timedelta) -> Iterator[bool]:
    """Holds the lease while the block runs; false where another machine has it. To take it changes its beat."""
    import pyarrow as pa

    mine = membership.own, uuid4().hex
    with reading(database.uri):
        table = lease_table(database)
        held = _held(table)
        if held is None:
            committed(lambda: table.add(pa.table({"name": ["free"], "holder": [""], "beat": [""]})))
            held = _held(table) or ("", "")
        holder, beat = held
        if holder not in ("", membership.own) and not _is_gone(layout, beat, patience):
            yield False
            return
        # Of two that take it at once, the second finds another beat and takes nothing.
        where = f"beat = {sql_list([beat])}"
        committed(lambda: table.update(where=where, values=dict(zip(_LEASE, mine, strict=True))))
        free = _held(table) == mine
    try:
        yield free
    finally:
        if free:
            with reading(database.uri):
                where = f"beat = {sql_list([mine[1]])}"
                committed(lambda: table.update(where=where, values={"holder": ""}))


def _held(table: Any) -> tuple[str, str] | None:
    """Who holds the lease, empty for none, and its beat; None before it was ever taken."""
    table.checkout_latest()
    rows = read_rows(table, _LEASE, "name = 'free'")
    return max(((row["holder"], row["beat"]) for row in rows), key=lambda one: one[1], default=None)


def _is_gone(layout: Layout, beat: str, patience: timedelta) -> bool:
    """Whether a holder is gone: this home first saw its beat long ago."""
    path = layout.share.with_name("share-lease.json")
    try:
        seen = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        seen = {}
    if seen.get("beat") == beat and time.time() - seen["at"] >= 0:
        return bool(time.time() - seen["at"] > patience.total_seconds())
    replace_file(path, orjson.dumps({"beat": beat, "at": time.time()}))
    return False


def keep_vectors_index(database: Database, least: int = MIN_PASSAGES) -> None:
    """Makes the index of vectors once there are so many passages, and anew when rows were added to it many times."""
    parts = _parts_of_vectors(database.chunks)
    if parts is not None and parts <= _MAX_PARTS:
        return
    if partitions := partitions_of_vectors(database.chunks, least if parts is None else 1):
        _make_of_vectors(database.chunks, partitions)


def renew_indexes(database: Database) -> None:
    """Makes the indexes anew, which have words and vectors of deleted rows."""
    stale = read_stale(database)
    table = database.chunks
    with reading(database.uri):
        committed(table.checkout_latest)
        for column in WORDS:
            committed(partial(table.create_index, column, config=words_index(), replace=True))
        if _parts_of_vectors(table) is not None:
            if partitions := partitions_of_vectors(table, least=1):
                _make_of_vectors(table, partitions)
            else:
                committed(partial(table.drop_index, f"{VECTORS}_idx"))
        if stale:
            committed(partial(lease_table(database).delete, f"name IN ({sql_list(stale)})"))


def partitions_of_vectors(table: Any, least: int = MIN_PASSAGES) -> int:
    """How many partitions an index of the vectors is to have; 0 where there are too few passages for one."""
    passages = count_passages(table)
    return max(1, isqrt(passages) // 4) if passages >= least else 0


def count_passages(table: Any) -> int:
    """About how many vectors there are, by the rows of a sample."""
    rows: int = table.count_rows(_EMBEDDED)
    drawn = f" AND draw < {DRAWS * _SAMPLED // rows}" if rows > _SAMPLED else ""
    sample = read_rows(table, ("spans",), f"{_EMBEDDED}{drawn}")
    passages: int = sum(row["spans"].count("[") - 1 for row in sample)
    return round(rows * passages / max(1, len(sample)))


def _parts_of_vectors(table: Any) -> int | None:
    """How many parts the index of vectors has; None where there is none."""
    for index in table.list_indices():
        if index.columns[0] == VECTORS:
            found = table.index_stats(index.name)
            return found.num_indices or 1 if found else 1
    return None


def _make_of_vectors(table: Any, partitions: int) -> None:
    from lancedb.index import IvfRq

    config = IvfRq(distance_type="cosine", num_partitions=partitions, num_bits=1, sample_rate=SAMPLE)
    committed(partial(table.create_index, VECTORS, config=config, replace=True))


def count_unindexed(database: Database) -> int:
    """How many rows an index has not taken in; they are searched one by one."""
    with reading(database.uri):
        names = [index.name for index in database.chunks.list_indices() if index.columns[0] in (*WORDS, VECTORS)]
        stats = [database.chunks.index_stats(name) for name in names]
    return max((one.num_unindexed_rows for one in stats if one is not None), default=0)
