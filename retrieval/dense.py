"""The dense retriever: documents ranked by the distance of their passages to the question.

Tables are read with `lance`, the library LanceDB stores them with: importing `lancedb` takes a second and more, most of
it for a client of remote catalogues that is not used here. Only a remote database (``db://``) needs `lancedb`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aicx.errors import AicxError, CorpusDamaged, MissingExtra, NotFound, UsageError
from aicx.types import Candidate
from retrieval.conditions import Condition
from retrieval.predicates import Missing, StartsWith, predicate

SCHEMA = b"aicx.vectors/1"
_SCHEMA_KEY, _MODEL_KEY, _NAME_KEY = b"aicx.schema", b"aicx.model", b"aicx.model_name"
_COLUMNS = ["id", "ordinal", "weight", "_distance"]
_PLACE = ["id", "ordinal", "weight", "part", "start", "last_part", "stop"]

# Passages asked for at first, for each document wanted: a document is usually found by several of its passages.
_PASSAGES_A_DOCUMENT = 4
_FEWEST_PASSAGES = 64
_MAX_PASSAGES = 8192
# How many of an index's partitions are looked at, at least: more finds a little more and takes longer. There is no
# upper end, so a filter that leaves few rows still finds them all.
_PROBES = 32

# Where in the library's own source an error came up says nothing to a user.
_LIBRARYS_OWN = re.compile(r", (?:location: |/\S+\.rs:)")
_MAX_REASON_LENGTH = 300


class Embed(Protocol):
    """What the searcher needs of an embedder."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def max_tokens(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage lies: what parts of ``weight`` say between two positions, each a part and a character in it."""

    weight: float
    start: tuple[int, int]
    stop: tuple[int, int]


class Unusable(AicxError):
    """The table cannot answer questions embedded by this model."""


class DenseSearcher:
    """An open table and the model that questions are embedded with. It sees what is written while it is open."""

    def __init__(
        self,
        uri: str,
        table: str,
        embedder: Embed,
        *,
        storage_options: Mapping[str, str] | None = None,
    ) -> None:
        self._uri = uri
        self._embedder = embedder
        self._open = _opener(uri, table, dict(storage_options or {}))
        self._table = self._opened()

    def search(self, text: str, where: Sequence[Condition | StartsWith | Missing], limit: int) -> list[Candidate]:
        """The nearest documents that fulfil ``where``, best first.

        The score is the cosine between question and passage, times the passage's weight. No more than ``limit``, and
        fewer only when fewer documents fulfil the conditions.
        """
        return self.search_near(self._embedder.embed([text])[0], where, limit)

    def search_near(
        self, vector: Any, where: Sequence[Condition | StartsWith | Missing], limit: int
    ) -> list[Candidate]:
        """As `search`, for a question that is embedded already."""
        if limit < 1 or not vector.any():
            return []  # nothing was asked: a question without a single token the model knows
        found: list[Candidate] = self._retried(lambda: self._nearest(vector, where, limit))
        return found

    def places(self, candidates: Iterable[Candidate]) -> dict[tuple[str, int], Place]:
        """Where the passages of ``candidates`` lie, by document id and ordinal."""
        wanted = {(candidate.id, candidate.passage) for candidate in candidates}
        if not wanted:
            return {}
        ids = ", ".join("'" + name.replace("'", "''") + "'" for name in sorted({name for name, _ in wanted}))
        rows = self._retried(lambda: self._table.rows(f"id IN ({ids})", _PLACE))
        return {
            (row["id"], row["ordinal"]): Place(
                row["weight"], (row["part"], row["start"]), (row["last_part"], row["stop"])
            )
            for row in rows
            if (row["id"], row["ordinal"]) in wanted
        }

    def _nearest(self, vector: Any, where: Sequence[Any], limit: int) -> list[Candidate]:
        self._refresh()
        condition = predicate(where, self._table.columns)
        wanted = max(_FEWEST_PASSAGES, _PASSAGES_A_DOCUMENT * limit)
        while True:
            rows = self._table.nearest(vector, condition, wanted)
            candidates = _documents(rows)
            # What was not fetched is no nearer than the last passage fetched, and weights only take away.
            floor = 1.0 - rows[-1][3] if len(rows) >= wanted else float("-inf")
            settled = len(candidates) >= limit and candidates[limit - 1].score >= floor
            if settled or len(rows) < wanted or wanted >= _MAX_PASSAGES:
                return candidates[:limit]
            wanted = min(wanted * 4, _MAX_PASSAGES)

    def _retried(self, read: Callable[[], Any]) -> Any:
        """What ``read`` gives. Once more with the table opened anew: a version can be cleaned up while it is read."""
        try:
            return read()
        except (OSError, ValueError, RuntimeError):
            self._table = self._opened()
        try:
            return read()
        except (OSError, ValueError, RuntimeError) as error:
            raise self._damaged(error) from error

    def _refresh(self) -> None:
        if self._table.refresh():
            self._check(self._table)

    def _opened(self) -> Any:
        try:
            table = self._open()
        except (OSError, ValueError, RuntimeError) as error:
            if "not found" in str(error).lower():
                raise NotFound(f"There is no vector index at {self._uri}.", hint="Run `aicx index`.") from error
            raise self._damaged(error) from error
        self._check(table)
        return table

    def _check(self, table: Any) -> None:
        """A table of another make answers with nonsense, so it is not asked."""
        found = table.metadata
        model = f"{self._embedder.fingerprint}/{self._embedder.max_tokens}".encode()
        rebuild = "Run `aicx index --rebuild`."
        if found.get(_SCHEMA_KEY) != SCHEMA or not {"id", "ordinal", "weight", "vector"} <= set(table.columns):
            raise Unusable(f"The vector index at {self._uri} was made by another version of aicx.", hint=rebuild)
        if found.get(_MODEL_KEY) != model:
            made_with = found.get(_NAME_KEY, b"another model").decode("utf-8", "replace")
            raise Unusable(
                f"The vector index at {self._uri} was made with {made_with}, and the question would be embedded with "
                f"another model or window: {self._embedder.name}.",
                hint=rebuild,
            )
        if not table.count():
            raise Unusable(f"The vector index at {self._uri} holds no passages yet.", hint="Run `aicx index`.")

    def _damaged(self, error: Exception) -> CorpusDamaged:
        hint = "Run `aicx index drop`, then `aicx index`: it is derived from the corpus and can be made again."
        if "://" in self._uri:
            # Others may be using it, and a network that is down looks no different from here.
            hint = "Check the address, the network and the credentials before anything else."
        reason = _LIBRARYS_OWN.split(str(error).splitlines()[0])[0][:_MAX_REASON_LENGTH]
        return CorpusDamaged(f"The vector index at {self._uri} cannot be read: {reason}", hint=hint)


Row = tuple[str, int, float, float]  # document, ordinal, weight, distance


def _documents(rows: Sequence[Row]) -> list[Candidate]:
    """One candidate for each document among ``rows``, by its best passage. Equal scores go by ordinal and by id."""
    best: dict[str, tuple[float, int]] = {}
    for document, ordinal, weight, distance in rows:
        near = 1.0 - distance
        # A weight makes a passage count less. Times a negative cosine it would do the opposite.
        score = near * weight if near > 0 else near
        known = best.get(document)
        if known is None or score > known[0] or (score == known[0] and ordinal < known[1]):
            best[document] = score, ordinal
    candidates = [Candidate(document, score, ordinal) for document, (score, ordinal) in best.items()]
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.id))
    return candidates


class _LanceTable:
    """A table in a folder or an object store, read with `lance`."""

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._describe()

    def _describe(self) -> None:
        schema = self._dataset.schema
        self.columns = frozenset(schema.names)
        self.metadata: Mapping[bytes, bytes] = schema.metadata or {}

    def refresh(self) -> bool:
        """Whether a newer version was there to go on with."""
        before = self._dataset.version
        self._dataset.checkout_latest()
        if self._dataset.version == before:
            return False
        self._describe()
        return True

    def count(self) -> int:
        return int(self._dataset.count_rows())

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        nearest = {"column": "vector", "q": vector, "k": limit, "metric": "dot", "minimum_nprobes": _PROBES}
        found = self._dataset.scanner(columns=_COLUMNS, nearest=nearest, filter=condition, prefilter=True).to_table()
        return list(zip(*(found[name].to_pylist() for name in _COLUMNS), strict=True))

    def rows(self, condition: str, columns: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._dataset.scanner(columns=columns, filter=condition).to_table().to_pylist()
        return found


class _RemoteTable:
    """A table in a remote LanceDB database."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns = frozenset(table.schema.names)
        self.metadata: Mapping[bytes, bytes] = table.schema.metadata or {}

    def refresh(self) -> bool:
        return False  # every request is answered by the newest version

    def count(self) -> int:
        return int(self._table.count_rows())

    def nearest(self, vector: Any, condition: str | None, limit: int) -> list[Row]:
        query = self._table.search(vector, vector_column_name="vector").distance_type("dot")
        if condition:
            query = query.where(condition, prefilter=True)
        found = query.select(_COLUMNS[:-1]).limit(limit).to_arrow()
        return list(zip(*(found[name].to_pylist() for name in _COLUMNS), strict=True))

    def rows(self, condition: str, columns: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._table.search().where(condition).select(columns).to_arrow().to_pylist()
        return found


def _opener(uri: str, table: str, options: dict[str, str]) -> Callable[[], Any]:
    if uri.startswith("memory://"):
        raise UsageError("A database in memory can only be read by whoever wrote it.", hint="Choose a folder.")
    try:
        if uri.startswith("db://"):
            import lancedb

            return lambda: _RemoteTable(lancedb.connect(uri, storage_options=options or None).open_table(table))
        os.environ.setdefault("LANCE_LOG", "error")  # else its warnings land between our own lines
        import lance
    except ImportError as error:
        raise MissingExtra("The dense retriever", "semantic") from error
    path = f"{uri.rstrip('/')}/{table}.lance"
    return lambda: _LanceTable(lance.dataset(path, storage_options=options or None))
