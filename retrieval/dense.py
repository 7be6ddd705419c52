"""The dense retriever: documents ranked by the distance of their passages to the question.

Tables are read with `lance`, the library LanceDB stores them with: importing `lancedb` takes a second and more, most of
it for a client of remote catalogues that is not used here. Only a remote database (``db://``) needs `lancedb`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aicx.errors import AicxError, CorpusDamaged, MissingExtra, NotFound, UsageError
from aicx.types import Candidate
from retrieval.conditions import Condition
from retrieval.fusion import Scale
from retrieval.predicates import Missing, StartsWith, predicate

SCHEMA = b"aicx.vectors/2"
# Tables of a former release hold longer passages, each with a weight. They are asked until they are made again.
_FORMER_SCHEMA = b"aicx.vectors/1"
_SCHEMA_KEY, _MODEL_KEY, _NAME_KEY = b"aicx.schema", b"aicx.model", b"aicx.model_name"
_PLACE = ["id", "ordinal", "part", "start", "stop"]

# Passages asked for at first, for each document wanted: a document is usually found by several of its passages.
_PASSAGES_A_DOCUMENT = 4
_FEWEST_PASSAGES = 64
_MAX_PASSAGES = 8192
# How many of an index's partitions are looked at, at least: more finds a little more and takes longer. There is no
# upper end, so a filter that leaves few rows still finds them all.
_PROBES = 32
# Up to so many documents mean and deviation of a question's scores come from all that fulfil its conditions, and beyond
# from a sample of about so many, those with the lowest draws: always the same. A thousand give a deviation to 2 %, and
# are read in a fraction of the time.
EXACT, SAMPLE = 4096, 1024
_DRAWS = 2**31
# Samples that are kept for the next question, by their conditions: some 90 MB each where the documents are long.
_MAX_SAMPLES = 2
# Below this a deviation is rounding, and what is divided by it is noise.
_LEAST_DEVIATION = 1e-3

# Where in the library's own source an error came up says nothing to a user.
_LIBRARYS_OWN = re.compile(r", (?:location: |/\S+\.rs:)")
_MAX_REASON_LENGTH = 300


Where = Condition | StartsWith | Missing


class Embed(Protocol):
    """What the searcher needs of an embedder."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage is: characters of one of its document's parts."""

    part: int
    start: int
    stop: int


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
        exact: int = EXACT,
        sample: int = SAMPLE,
    ) -> None:
        self._uri = uri
        self._exact, self._sample_size = exact, sample
        self._embedder = embedder
        self._open = _opener(uri, table, dict(storage_options or {}))
        self._samples: dict[str | None, tuple[Any, Any]] = {}
        self._table = self._opened()

    def search(self, text: str, where: Sequence[Where], limit: int) -> list[Candidate]:
        """The nearest documents that fulfil ``where``, best first; the score is the cosine of question and passage.

        No more than ``limit``, and fewer only when fewer documents fulfil the conditions.
        """
        return self.search_near(self._embedder.embed([text])[0], where, limit)

    def search_near(self, vector: Any, where: Sequence[Where], limit: int) -> list[Candidate]:
        """As `search`, for a question that is embedded already."""
        if limit < 1 or not vector.any():
            return []  # nothing was asked: a question without a single token the model knows
        found: list[Candidate] = self._retried(lambda: self._nearest(vector, where, limit))
        return found

    def scores(self, vector: Any, documents: Collection[str]) -> list[Candidate]:
        """The named documents that the table holds, each with its best passage, best first."""
        if not documents:
            return []
        found: list[Candidate] = self._retried(lambda: self._scores(vector, documents))
        return found

    def spread(self, vector: Any, where: Sequence[Where]) -> Scale | None:
        """Mean and deviation of a question's scores over the documents that fulfil ``where``, each by its best passage.

        None for a table of a former release, and where too few documents are left to tell.
        """
        if not self._table.has_draws:
            return None
        found: Scale | None = self._retried(lambda: self._spread(vector, where))
        return found

    def places(self, candidates: Iterable[Candidate]) -> dict[tuple[str, int], Place]:
        """Where the passages of ``candidates`` are, by document id and ordinal."""
        wanted = {(candidate.id, candidate.passage) for candidate in candidates}
        if not wanted:
            return {}
        rows = self._retried(lambda: self._table.rows(_of({name for name, _ in wanted}), _PLACE)).to_pylist()
        return {
            (row["id"], row["ordinal"]): Place(row["part"], row["start"], row["stop"])
            for row in rows
            if (row["id"], row["ordinal"]) in wanted
        }

    def _nearest(self, vector: Any, where: Sequence[Where], limit: int) -> list[Candidate]:
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

    def _scores(self, vector: Any, documents: Collection[str]) -> list[Candidate]:
        columns = ["id", "ordinal", "vector", *(() if self._table.has_draws else ("weight",))]
        rows = self._table.rows(_of(documents), columns)
        near = _matrix(rows) @ vector
        weights = rows["weight"].to_pylist() if "weight" in columns else [1.0] * len(near)
        found = zip(rows["id"].to_pylist(), rows["ordinal"].to_pylist(), weights, (1.0 - near).tolist(), strict=True)
        return _documents(list(found))

    def _spread(self, vector: Any, where: Sequence[Where]) -> Scale | None:
        import numpy as np

        self._refresh()
        condition = predicate(where, self._table.columns)
        sample = self._samples.get(condition)
        if sample is None:
            sample = self._sample(condition)
            while len(self._samples) >= _MAX_SAMPLES:
                del self._samples[next(iter(self._samples))]
            self._samples[condition] = sample
        passages, firsts = sample
        if len(firsts) < 2:
            return None
        best = np.maximum.reduceat(passages @ vector, firsts)
        return Scale(float(best.mean()), max(_LEAST_DEVIATION, float(best.std())))

    def _sample(self, condition: str | None) -> tuple[Any, Any]:
        """The passages of the documents that stand for all, as a matrix, and the row where each document begins."""
        import numpy as np

        documents = self._table.count(_all("ordinal = 0", condition))
        drawn = f"draw < {_DRAWS * self._sample_size // documents}" if documents > self._exact else None
        rows = self._table.rows(_all(drawn, condition), ["draw", "ordinal", "vector"])
        draws, ordinals = rows["draw"].to_numpy(), rows["ordinal"].to_numpy()
        order = np.lexsort((ordinals, draws))
        sorted_draws = draws[order]
        firsts = np.flatnonzero(np.r_[True, sorted_draws[1:] != sorted_draws[:-1]]) if len(order) else order
        return _matrix(rows)[order], firsts

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
            self._samples.clear()
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
        rebuild = "Run `aicx index --rebuild`."
        model = self._embedder.fingerprint.encode()
        known = found.get(_SCHEMA_KEY) in (SCHEMA, _FORMER_SCHEMA)
        if not known or not {"id", "ordinal", "vector"} <= set(table.columns):
            raise Unusable(f"The vector index at {self._uri} was made by another version of aicx.", hint=rebuild)
        if found.get(_MODEL_KEY, b"").partition(b"/")[0] != model:  # in a former table, its window comes after it
            made_with = found.get(_NAME_KEY, b"another model").decode("utf-8", "replace")
            raise Unusable(
                f"The vector index at {self._uri} was made with {made_with}, and the question would be embedded with "
                f"another model: {self._embedder.name}.",
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
        self._found_columns = _columns(self.columns)
        self._type = _vector_type(schema)

    def refresh(self) -> bool:
        """Whether a newer version was there to go on with."""
        before = self._dataset.version
        self._dataset.checkout_latest()
        if self._dataset.version == before:
            return False
        self._describe()
        return True

    @property
    def has_draws(self) -> bool:
        return "draw" in self.columns

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


class _RemoteTable:
    """A table in a remote LanceDB database."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns = frozenset(table.schema.names)
        self.metadata: Mapping[bytes, bytes] = table.schema.metadata or {}

    @property
    def has_draws(self) -> bool:
        return "draw" in self.columns

    def refresh(self) -> bool:
        return False  # every request is answered by the newest version

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


def _columns(there: Collection[str]) -> list[str]:
    return ["id", "ordinal", *(("weight",) if "weight" in there else ()), "_distance"]


def _rows(found: Any, columns: Sequence[str]) -> list[Row]:
    weights = found["weight"].to_pylist() if "weight" in columns else [1.0] * found.num_rows
    ids, ordinals, distances = (found[name].to_pylist() for name in ("id", "ordinal", "_distance"))
    return list(zip(ids, ordinals, weights, distances, strict=True))


def _vector_type(schema: Any) -> Any:
    return schema.field("vector").type.value_type.to_pandas_dtype() if "vector" in schema.names else None


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
