"""The tables of vectors that the dense retriever asks, and how they are opened.

A mapped copy answers where there is one (see `retrieval.mapped`). Other tables are read with `lance`, the library
LanceDB stores them with: importing `lancedb` takes a second and more, most of it for a client of remote catalogues that
is not used here. Only a remote database (``db://``) needs `lancedb`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from aicx.errors import MissingExtra, UsageError
from retrieval.mapped import DRAWS, Placed, Row, mapped_copy, open_copy

# How many of an index's partitions are looked at, at least: more finds a little more and takes longer. There is no
# upper end, so a filter that leaves few rows still finds them all.
_PROBES = 32
# Samples that are kept for the next question, by their conditions: some 90 MB each where the documents are long.
_MAX_SAMPLES = 2


class Table(Protocol):
    """What the searcher needs of a table. Conditions are SQL; None lets everything through."""

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

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        """About the ``limit`` nearest passages, nearest first, or the nearest of each of so many documents."""
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


def opener(uri: str, table: str, options: dict[str, str]) -> Callable[[], Table]:
    """What opens the table, each time it is called. Raises MissingExtra when that takes a library that is lacking."""
    if uri.startswith("memory://"):
        raise UsageError("A database in memory can only be read by the process that wrote it.", hint="Choose a folder.")
    if uri.startswith("db://"):
        try:
            import lancedb
        except ImportError as error:
            raise MissingExtra("The dense retriever", "remote") from error
        return lambda: _RemoteTable(lancedb.connect(uri, storage_options=options or None).open_table(table))
    path = f"{uri.rstrip('/')}/{table}.lance"
    folder = None if "://" in uri else Path(path)
    return lambda: (open_copy(folder) if folder else None) or _LanceTable(path, options, folder)


class _ArrowTable:
    """A table that is read in rows."""

    columns: Collection[str]
    metadata: Mapping[bytes, bytes]

    def __init__(self) -> None:
        self._samples: dict[str | None, tuple[Any, Any]] = {}

    def is_stale(self) -> bool:
        return False

    @property
    def has_draws(self) -> bool:
        return "draw" in self.columns

    def count(self, condition: str | None = None) -> int:
        raise NotImplementedError

    def rows(self, condition: str | None, columns: list[str]) -> Any:
        """Columns of the passages that fulfil a condition, as an Arrow table."""
        raise NotImplementedError

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


class _LanceTable(_ArrowTable):
    """A table in a folder or an object store, read with `lance`. ``folder`` may get a mapped copy later."""

    def __init__(self, path: str, options: dict[str, str], folder: Path | None) -> None:
        super().__init__()
        os.environ.setdefault("LANCE_LOG", "error")  # else its warnings land between our own lines
        try:
            import lance
        except ImportError as error:
            raise MissingExtra("The dense retriever", "semantic") from error
        self._dataset = lance.dataset(path, storage_options=options or None)
        self._folder = folder
        schema = self._dataset.schema
        self.columns = frozenset(schema.names)
        self.metadata = schema.metadata or {}
        self._found_columns = _columns(self.columns)
        self._type = _vector_type(schema)

    def is_stale(self) -> bool:
        before = self._dataset.version
        self._dataset.checkout_latest()
        return self._dataset.version != before or bool(self._folder and mapped_copy(self._folder))

    def count(self, condition: str | None = None) -> int:
        return int(self._dataset.count_rows(filter=condition))

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        vector = vector.astype(self._type)
        nearest = {"column": "vector", "q": vector, "k": limit, "metric": "dot", "minimum_nprobes": _PROBES}
        wanted = self._found_columns
        found = self._dataset.scanner(columns=wanted, nearest=nearest, filter=condition, prefilter=True).to_table()
        return _rows(found, wanted)

    def rows(self, condition: str | None, columns: list[str]) -> Any:
        return self._dataset.scanner(columns=columns, filter=condition).to_table()


class _RemoteTable(_ArrowTable):
    """A table in a remote LanceDB database."""

    def __init__(self, table: Any) -> None:
        super().__init__()
        self._table = table  # every request is answered by the newest version
        self.columns = frozenset(table.schema.names)
        self.metadata = table.schema.metadata or {}

    def count(self, condition: str | None = None) -> int:
        return int(self._table.count_rows(condition))

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        query = self._table.search(vector, vector_column_name="vector").distance_type("dot")
        if condition:
            query = query.where(condition, prefilter=True)
        wanted = _columns(self.columns)
        return _rows(query.select(wanted[:-1]).limit(limit).to_arrow(), wanted)

    def rows(self, condition: str | None, columns: list[str]) -> Any:
        query = self._table.search()
        return (query.where(condition) if condition else query).select(columns).to_arrow()


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


def _columns(there: Collection[str]) -> list[str]:
    return ["id", "ordinal", *(("weight",) if "weight" in there else ()), "_distance"]


def _rows(found: Any, columns: Sequence[str]) -> list[Row]:
    weights = found["weight"].to_pylist() if "weight" in columns else [1.0] * found.num_rows
    ids, ordinals, distances = (found[name].to_pylist() for name in ("id", "ordinal", "_distance"))
    return list(zip(ids, ordinals, weights, distances, strict=True))


def _vector_type(schema: Any) -> Any:
    return schema.field("vector").type.value_type.to_pandas_dtype() if "vector" in schema.names else None
