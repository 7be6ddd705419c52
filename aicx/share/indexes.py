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
    if parts is None or parts > _MAX_PARTS:
        passages = count_passages(database.chunks)
        if parts is not None or passages >= least:
            _make_of_vectors(database.chunks, passages)


def renew_indexes(database: Database) -> None:
    """Makes the indexes anew, which have words and vectors of deleted rows."""
    stale = read_stale(database)
    table = database.chunks
    with reading(database.uri):
        committed(table.checkout_latest)
        for column in WORDS:
            committed(partial(table.create_index, column, config=words_index(), replace=True))
        if _parts_of_vectors(table) is not None:
            if passages := count_passages(table):
                _make_of_vectors(table, passages)
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


def _make_of_vectors(table: Any, passages: int) -> None:
    from lancedb.index import IvfRq

    partitions = max(1, isqrt(passages) // 4)
    config = IvfRq(distance_type="cosine", num_partitions=partitions, num_bits=1, sample_rate=SAMPLE)
    committed(partial(table.create_index, VECTORS, config=config, replace=True))
