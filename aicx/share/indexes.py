"""The indexes of a share: those of words from its first day, one of vectors for a large share."""

from __future__ import annotations

from functools import partial
from math import isqrt
from typing import Any
from uuid import uuid4

from aicx.share.tables import (
    LEASE,
    SAMPLE,
    WORDS,
    Database,
    committed,
    find_table,
    lease_table,
    read_rows,
    reading,
    words_index,
)
from indexer.vector_table import sql_list
from retrieval.mapped import DRAWS

# With fewer passages a question compares all of them nearly as soon as it asks an index.
LEAST_PASSAGES = 100_000
# A question looks into each part of an index; every upkeep adds one.
_MAX_PARTS = 16
# Rows by which the passages of all are estimated.
_SAMPLED = 1_000
_EMBEDDED = "spans IS NOT NULL AND spans != '[]'"
VECTORS, _STALE = "vectors", "stale "


def keep_vectors_index(database: Database, least: int = LEAST_PASSAGES) -> None:
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


def mark_stale(database: Database) -> None:
    """Records that rows are deleted for good, until the indexes are made anew: also by another machine."""
    import pyarrow as pa

    row = pa.table({"name": [f"{_STALE}{uuid4().hex}"], "holder": [""], "beat": [""]})
    with reading(database.uri):
        committed(lambda: lease_table(database).add(row))


def read_stale(database: Database) -> list[str]:
    """The marks of deletions that the indexes still have something of."""
    table = find_table(database.connection, database.uri, LEASE)
    if table is None:
        return []
    with reading(database.uri):
        return [row["name"] for row in read_rows(table, ("name",), f"starts_with(name, '{_STALE}')")]


def partitions_of_vectors(table: Any, least: int = LEAST_PASSAGES) -> int:
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
