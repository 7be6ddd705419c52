"""The tables of vectors that the dense retriever asks, and how they are opened.

A mapped copy answers where there is one (see `retrieval.mapped`). Other tables are asked through LanceDB, whose import
alone takes a second and more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from aicx.errors import MissingExtra, UsageError
from retrieval.mapped import DRAWS, Placed, Row, mapped_copy, open_copy

# How many of an index's partitions are looked at, at least: more finds a little more and takes longer. There is no
# upper end, so a filter that leaves few rows still finds them all.
_PROBES = 32
# Samples that are kept for the next question, by their conditions: some 90 MB each where the documents are long.
_MAX_SAMPLES = 2


class SearchTable(Protocol):
    """The part of a table that the searcher needs. Conditions are SQL; None lets everything through."""

    @property
    def columns(self) -> Collection[str]: ...

    @property
    def metadata(self) -> Mapping[bytes, bytes]: ...

    @property
    def has_draws(self) -> bool: ...

    def is_stale(self) -> bool:
        """Whether it has to be opened anew to see what was written since."""
        ...

    def count(self) -> int:
        """How many passages there are."""
        ...

    def versions(self) -> dict[str, str]:
        """The version of each document."""
        ...

    def documents(self, condition: str | None) -> int:
        """How many documents fulfil a condition."""
        ...

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        """About the ``limit`` nearest passages, nearest first, or the nearest of each of so many documents."""
        ...

    def nearest_of_each(self, vectors: Any, limit: int) -> Iterable[list[Row]]:
        """As `nearest` of everything, for each of several vectors at once."""
        ...

    def distances(self, vector: Any, documents: Collection[str]) -> list[Row]:
        """The passages of documents, or at least the best of each."""
        ...

    def best(self, vector: Any, condition: str | None, exact: int, sample: int) -> Any:
        """The best cosine of each document that fulfils the condition, as an array.

        Beyond ``exact`` documents of a sample of about ``sample``, those with the lowest draws.
        """
        ...

    def places(self, documents: Collection[str]) -> Iterable[Placed]:
        """Where the passages of documents are."""
        ...


def opener(uri: str, table: str, options: dict[str, str]) -> Callable[[], SearchTable]:
    """Returns a function that opens the table at each call: MissingExtra where that takes a library that is lacking."""
    if uri.startswith("memory://"):
        raise UsageError("A database in memory can only be read by the process that wrote it.", hint="Choose a folder.")
    folder = None if "://" in uri else Path(uri, f"{table}.lance")
    return lambda: (open_copy(folder) if folder else None) or _LanceTable(uri, table, options, folder)


class _LanceTable:
    """A table in a LanceDB database. ``folder`` is where a mapped copy of it may come to be."""

    def __init__(self, uri: str, table: str, options: dict[str, str], folder: Path | None) -> None:
        if folder is not None and not folder.exists():
            raise FileNotFoundError(f"{folder} was not found")  # connecting would make the folder above it
        for name in ("LANCE_LOG", "LANCEDB_LOG"):
            os.environ.setdefault(name, "error")  # else their warnings land between our own lines
        try:
            import lancedb
        except ImportError as error:
            raise MissingExtra("The dense retriever", "semantic") from error
        self._table = lancedb.connect(uri, storage_options=options or None).open_table(table)
        self._folder = folder
        schema = self._table.schema
        self.columns = frozenset(schema.names)
        self.metadata: Mapping[bytes, bytes] = schema.metadata or {}
        self._samples: dict[str | None, tuple[Any, Any]] = {}

    def is_stale(self) -> bool:
        before = self._table.version
        self._table.checkout_latest()
        return bool(self._table.version != before or (self._folder and mapped_copy(self._folder)))

    @property
    def has_draws(self) -> bool:
        return "draw" in self.columns

    def count(self, condition: str | None = None) -> int:
        return int(self._table.count_rows(condition))

    def versions(self) -> dict[str, str]:
        rows = self.rows("ordinal = 0", ["id", "version"])
        return dict(zip(rows["id"].to_pylist(), rows["version"].to_pylist(), strict=True))

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        return _rows(self._nearest(vector, condition, limit))

    def nearest_of_each(self, vectors: Any, limit: int) -> Iterable[list[Row]]:
        if len(vectors) < 2:  # the rows of a single vector do not say which vector they are of
            return [self.nearest(vector, None, limit) for vector in vectors]
        found = self._nearest(list(vectors), None, limit)
        rows: list[list[Row]] = [[] for _ in vectors]
        for number, row in zip(found["query_index"].to_pylist(), _rows(found), strict=True):
            rows[number].append(row)
        return rows

    def _nearest(self, asked: Any, condition: str | None, limit: int) -> Any:
        query = self._table.search(asked, vector_column_name="vector").distance_type("dot")
        query = query.minimum_nprobes(_PROBES).maximum_nprobes(0)
        if condition:
            query = query.where(condition, prefilter=True)
        wanted = ["id", "ordinal", *(("weight",) if "weight" in self.columns else ()), "_distance"]
        return query.select(wanted).limit(limit).to_arrow()

    def documents(self, condition: str | None) -> int:
        return self.count(_all("ordinal = 0", condition))

    def rows(self, condition: str | None, columns: list[str]) -> Any:
        """Columns of the passages that fulfil a condition, as an Arrow table."""
        query = self._table.search()
        return (query.where(condition) if condition else query).select(columns).to_arrow()

    def distances(self, vector: Any, documents: Collection[str]) -> list[Row]:
        columns = ["id", "ordinal", "vector", *(() if self.has_draws else ("weight",))]
        rows = self.rows(_of(documents), columns)
        near = _matrix(rows) @ vector
        weights = rows["weight"].to_pylist() if "weight" in columns else [1.0] * len(near)
        return list(
            zip(rows["id"].to_pylist(), rows["ordinal"].to_pylist(), weights, (1.0 - near).tolist(), strict=True)
        )

    def best(self, vector: Any, condition: str | None, exact: int, sample: int) -> Any:
        import numpy as np

        if condition not in self._samples:
            found = self._sample(condition, exact, sample)
            while len(self._samples) >= _MAX_SAMPLES:
                del self._samples[next(iter(self._samples))]
            self._samples[condition] = found
        passages, firsts = self._samples[condition]
        return np.maximum.reduceat(passages @ vector, firsts) if len(firsts) else np.zeros(0)

    def places(self, documents: Collection[str]) -> Iterable[Placed]:
        rows = self.rows(_of(documents), ["id", "ordinal", "part", "start", "stop"])
        return [(row["id"], row["ordinal"], row["part"], row["start"], row["stop"]) for row in rows.to_pylist()]

    def _sample(self, condition: str | None, exact: int, sample: int) -> tuple[Any, Any]:
        """The passages of the documents that stand for all, as a matrix, and the row where each document begins."""
        import numpy as np

        documents = self.count(_all("ordinal = 0", condition))
        drawn = f"draw < {DRAWS * sample // documents}" if documents > exact else None
        rows = self.rows(_all(drawn, condition), ["draw", "ordinal", "vector"])
        draws, ordinals = rows["draw"].to_numpy(), rows["ordinal"].to_numpy()
        order = np.lexsort((ordinals, draws))
        sorted_draws = draws[order]
        firsts = np.flatnonzero(np.r_[True, sorted_draws[1:] != sorted_draws[:-1]]) if len(order) else order
        return _matrix(rows)[order], firsts


def _of(documents: Collection[str]) -> str:
    return "id IN (" + ", ".join("'" + name.replace("'", "''") + "'" for name in sorted(documents)) + ")"


def _all(*conditions: str | None) -> str | None:
    return " AND ".join(f"({condition})" for condition in conditions if condition) or None


def _matrix(rows: Any) -> Any:
    """The vectors of rows, one below the other."""
    import numpy as np

    column = rows["vector"].combine_chunks()
    if not len(column):
        return np.zeros((0, column.type.list_size), dtype=np.float32)
    return column.flatten().to_numpy(zero_copy_only=True).reshape(len(column), -1).astype(np.float32)


def _rows(found: Any) -> list[Row]:
    weights = found["weight"].to_pylist() if "weight" in found.column_names else [1.0] * found.num_rows
    ids, ordinals, distances = (found[name].to_pylist() for name in ("id", "ordinal", "_distance"))
    return list(zip(ids, ordinals, weights, distances, strict=True))
