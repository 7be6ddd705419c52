"""Tables of a folder or an object store, written with `lance`, the library of the format that LanceDB keeps them in.

The names are those of LanceDB's own classes, so that a table in a remote database, which takes `lancedb`, is written by
the same code. `lancedb` would be 75 MB more to download, and takes a second and more to import.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a table, and how many rows it has not taken in yet."""

    name: str
    columns: Sequence[str]
    num_unindexed_rows: int


class LanceDatabase:
    """A folder or an address in an object store, with a table in each folder ``NAME.lance``."""

    def __init__(self, uri: str, storage_options: Mapping[str, str] | None) -> None:
        self._uri = uri.rstrip("/")
        self._options = dict(storage_options) if storage_options else None

    def open_table(self, name: str) -> LanceTable:
        """Raises ValueError with "was not found" where there is none."""
        import lance

        return LanceTable(lance.dataset(self._path(name), storage_options=self._options))

    def create_table(self, name: str, *, schema: Any, mode: Literal["create", "overwrite"]) -> LanceTable:
        """A table without rows, or a version without rows of the one there is."""
        import lance

        made = lance.write_dataset(schema.empty_table(), self._path(name), mode=mode, storage_options=self._options)
        return LanceTable(made)

    def drop_table(self, name: str) -> None:
        """Raises OSError with "not found" where there is none."""
        if "://" not in self._uri:  # `lance` refuses to delete what it cannot read
            if not Path(self._path(name)).exists():
                raise FileNotFoundError(f"{self._path(name)} was not found")
            shutil.rmtree(self._path(name))
            return
        import lance

        lance.LanceDataset.drop(self._path(name), self._options)

    def _path(self, name: str) -> str:
        return f"{self._uri}/{name}.lance"


class LanceTable:
    """An open table. What is written through it is seen through it."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    @property
    def schema(self) -> Any:
        return self._dataset.schema

    def to_lance(self) -> Any:
        return self._dataset

    def checkout_latest(self) -> None:
        self._dataset.checkout_latest()

    def count_rows(self) -> int:
        return int(self._dataset.count_rows())

    def rows(self, condition: str, columns: Sequence[str]) -> Any:
        """Columns of the rows that fulfil a condition in SQL, as an Arrow table."""
        return self._dataset.to_table(columns=list(columns), filter=condition)

    def add(self, rows: Any) -> None:
        self._dataset.insert(rows)

    def delete(self, condition: str) -> None:
        self._dataset.delete(condition)

    def merge_insert(self, on: Sequence[str]) -> Any:
        return self._dataset.merge_insert(list(on))

    def fragments(self) -> int:
        """How many pieces the rows are in."""
        return len(self._dataset.get_fragments())

    def list_indices(self) -> list[Index]:
        rows = self.count_rows()
        found = self._dataset.describe_indices()
        return [Index(one.name, one.field_names, max(0, rows - one.num_rows_indexed)) for one in found]

    def index_values(self, column: str, kind: Literal["BITMAP", "BTREE"]) -> None:
        self._dataset.create_scalar_index(column, kind)

    def index_vectors(self, column: str, partitions: int, **training: Any) -> None:
        """Puts similar vectors into partitions, by their dot product."""
        self._dataset.create_index(column, "IVF_FLAT", metric="dot", num_partitions=partitions, **training)

    def optimize(self, *, cleanup_older_than: timedelta, delete_unverified: bool = False) -> None:
        """Merges pieces, takes new rows into the indexes, and removes old versions and their files."""
        self._dataset.optimize.compact_files()
        self._dataset.optimize.optimize_indices()
        self._dataset.cleanup_old_versions(older_than=cleanup_older_than, delete_unverified=delete_unverified)
