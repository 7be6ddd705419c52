"""The mapped copy of a table of vectors: all of them as one matrix in a file, read without the table's library.

`indexer.mapping` writes it into the table's folder, and its folder is named after the version of the table that it is a
copy of. A question compares every passage, which takes some 6 ms for 87,000 of 256 dimensions; importing LanceDB
alone takes more than a second. The table stays what holds: where its newest version has no copy, it is asked itself.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

FOLDER, FILES = "mapped", ("about.json", "documents.sqlite", "places.npy", "scales.npy", "vectors.npy")
# The matrix is read as float32 in pieces that stay in the processor's cache.
_ROWS_AT_ONCE = 512
# The draws of documents are from 0 to this.
DRAWS = 2**31
# Equal passages differ by rounding only, and are to be equal.
_DECIMALS = 6
# A question asks for the documents of its conditions three times, and the next one often has the same.
_MAX_CONDITIONS = 4

Row = tuple[str, int, float, float]  # document, ordinal, weight, distance
Placed = tuple[str, int, int, int, int]  # document, ordinal, part, start, stop


def newest_version(folder: Path) -> int | None:
    """The newest version of the table in a local folder; None where there is no table.

    Lance names a version's manifest by its number, or since its second format by what is missing to 2^64 - 1.
    """
    names = [path.stem for path in (folder / "_versions").glob("*.manifest") if path.stem.isdigit()]
    return max((2**64 - 1 - int(name) if len(name) == 20 else int(name) for name in names), default=None)


def mapped_copy(folder: Path) -> Path | None:
    """The copy of the newest version of the table in ``folder``; None where there is none."""
    copy = folder / FOLDER / str(newest_version(folder))
    return copy if all((copy / name).exists() for name in FILES) else None


class MappedTable:
    """An open copy. Passages are in the order of their documents' ids, and of their ordinals in one."""

    has_draws = True

    def __init__(self, copy: Path) -> None:
        import numpy as np

        self._copy = copy
        about = json.loads((copy / "about.json").read_bytes())
        self.columns = frozenset(about["columns"])
        self.metadata: Mapping[bytes, bytes] = {key.encode(): value.encode() for key, value in about["made"].items()}
        self._pieces = about.get("pieces")  # None in a copy of a former release
        # What is never written while it is there needs no lock, and may be read by any thread.
        self._documents = sqlite3.connect(
            f"{(copy / 'documents.sqlite').absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
        )
        # As plain arrays: a part of a mapped one is made by Python, one by one.
        self._vectors = np.asarray(np.load(copy / "vectors.npy", mmap_mode="r", allow_pickle=False))
        self._scales = np.load(copy / "scales.npy", allow_pickle=False)
        self._places = np.asarray(np.load(copy / "places.npy", mmap_mode="r", allow_pickle=False))
        firsts = [first for (first,) in self._documents.execute("SELECT first FROM documents ORDER BY place")]
        self._firsts = np.array(firsts, dtype=np.int64)
        if not len(self._vectors) == len(self._scales) == len(self._places) > self._firsts[-1]:
            raise ValueError(f"the files of {copy} do not belong together")
        self._asked: tuple[bytes, Any, Any] | None = None
        self._fulfilling: dict[str | None, Any] = {}

    @property
    def dimensions(self) -> int:
        return int(self._vectors.shape[1])

    def is_everything(self) -> bool:
        """Whether the table's own files hold these documents and no others: nothing deleted, replaced or left over."""
        folder = self._copy.parents[1]
        pieces, copies, *others = (
            sum(1 for _ in folder.glob(f"{name}/*")) for name in ("data", FOLDER, "_deletions", "_indices")
        )
        return (pieces, copies) == (self._pieces, 1) and not any(others)

    def is_stale(self) -> bool:
        return str(newest_version(self._copy.parents[1])) != self._copy.name

    def count(self) -> int:
        return len(self._vectors)

    def versions(self) -> dict[str, str]:
        return dict(self._documents.execute("SELECT id, version FROM documents"))

    def documents(self, condition: str | None) -> int:
        return len(self._chosen(condition))

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        """The best passage of each of the ``limit`` nearest documents, nearest first."""
        import numpy as np

        _, best = self._scored(vector)
        chosen = self._chosen(condition)
        order = np.argsort(-best[chosen], kind="stable")[:limit]
        return self._rows(vector, chosen[order].tolist())

    def nearest_of_each(self, vectors: Any, limit: int) -> Iterable[list[Row]]:
        return (self.nearest(vector, None, limit) for vector in vectors)

    def distances(self, vector: Any, documents: Collection[str]) -> list[Row]:
        """The best passage of each of ``documents`` that the table holds."""
        return self._rows(vector, self._places_of(documents))

    def best(self, vector: Any, condition: str | None, exact: int, sample: int) -> Any:
        """The score of each document that fulfils the condition, or beyond ``exact`` of those with the lowest draws."""
        _, best = self._scored(vector)
        chosen = self._chosen(condition)
        if len(chosen) > exact:
            drawn = f"draw < {DRAWS * sample // len(chosen)}"
            chosen = self._chosen(f"({drawn}) AND ({condition})" if condition else drawn)
        return best[chosen]

    def places(self, documents: Collection[str]) -> Iterable[Placed]:
        """Where the passages of documents are."""
        for place, name in self._names(self._places_of(documents)):
            for ordinal, part, start, stop in self._places[self._firsts[place] : self._end(place)].tolist():
                yield name, ordinal, part, start, stop

    def _rows(self, vector: Any, places: Sequence[int]) -> list[Row]:
        near, best = self._scored(vector)
        rows = []
        for place, name in self._names(places):
            first = int(self._firsts[place])
            at = first + int(near[first : self._end(place)].argmax())
            rows.append((name, int(self._places[at, 0]), 1.0, 1.0 - float(best[place])))
        return rows

    def _scored(self, vector: Any) -> tuple[Any, Any]:
        """The cosine of every passage, and the best of every document; kept until another question is asked."""
        import numpy as np

        key = vector.tobytes()
        if self._asked is None or self._asked[0] != key:
            asked = np.asarray(vector, dtype=np.float32)
            near: Any = np.empty(len(self._vectors), dtype=np.float32)
            piece: Any = np.empty((_ROWS_AT_ONCE, len(asked)), dtype=np.float32)
            for start in range(0, len(near), _ROWS_AT_ONCE):
                rows = self._vectors[start : start + _ROWS_AT_ONCE]
                piece[: len(rows)] = rows
                np.dot(piece[: len(rows)], asked, out=near[start : start + len(rows)])
            near = np.round(near * self._scales, _DECIMALS)
            self._asked = key, near, np.maximum.reduceat(near, self._firsts)
        return self._asked[1:]

    def _chosen(self, condition: str | None) -> Any:
        """The documents that fulfil a condition, by their places."""
        import numpy as np

        if condition not in self._fulfilling:
            if len(self._fulfilling) == _MAX_CONDITIONS:
                self._fulfilling.clear()
            found = self._documents.execute(f"SELECT place FROM documents WHERE {condition or 1} ORDER BY place")
            self._fulfilling[condition] = np.fromiter((place for (place,) in found), dtype=np.int32)
        return self._fulfilling[condition]

    def _places_of(self, documents: Collection[str]) -> list[int]:
        statement = "SELECT place FROM documents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY place"
        return [place for (place,) in self._documents.execute(statement, (json.dumps(sorted(documents)),))]

    def _names(self, places: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Places, in their order, each with the id of its document."""
        statement = "SELECT place, id FROM documents WHERE place IN (SELECT value FROM json_each(?))"
        names = dict(self._documents.execute(statement, (json.dumps(places),)))
        return ((place, names[place]) for place in places)

    def _end(self, place: int) -> int:
        return int(self._firsts[place + 1]) if place + 1 < len(self._firsts) else len(self._vectors)


def open_copy(folder: Path) -> MappedTable | None:
    """The copy of the newest version, open; None where there is none, or none that can be read."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, sqlite3.Error):
        if copy := mapped_copy(folder):
            return MappedTable(copy)
    return None
