"""The retriever by meaning: documents ranked by the distance of their passages, joined with the scores by words."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from aicx.errors import AicxError, CorpusDamaged, NotFound
from aicx.types import Candidate
from aicx.values import dataclass
from retrieval.embedders import Embedder, Tokens
from retrieval.mapped import Row
from retrieval.params import RankingParams
from retrieval.questions import Condition, predicate
from retrieval.ranking import Scale, scales_of
from retrieval.tables import SearchTable, opener

if TYPE_CHECKING:
    from retrieval.lexical import LexicalSearcher
    from retrieval.questions import Question

SCHEMA = b"aicx.vectors/2"
# Tables of a former release hold longer passages, each with a weight. They are asked until they are made again.
_FORMER_SCHEMA = b"aicx.vectors/1"
_SCHEMA_KEY, _MODEL_KEY, _NAME_KEY = b"aicx.schema", b"aicx.model", b"aicx.model_name"

# Passages asked for at first, for each document wanted: a document is usually found by several of its passages.
_PASSAGES_A_DOCUMENT = 4
_MIN_PASSAGES = 64
_MAX_PASSAGES = 8192
# Up to so many documents mean and deviation of a question's scores come from all that fulfil its conditions, and beyond
# from a sample of about so many, those with the lowest draws: always the same. A thousand give a deviation to 2 %, and
# are read in a fraction of the time.
EXACT, SAMPLE = 4096, 1024
# Below this a deviation is rounding, and what is divided by it is noise.
_MIN_DEVIATION = 1e-3

# Where in the library's own source an error came up says nothing to a user.
_LIBRARYS_OWN = re.compile(r"^lance error: |, (?:location: |/\S+\.rs:).*")
_MAX_REASON_LENGTH = 300


_UNREADABLE = (OSError, ValueError, LookupError, RuntimeError, sqlite3.Error)


class Embed(Protocol):
    """The part of an embedder that the searcher needs."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Any: ...


@dataclass(frozen=True, slots=True)
class PassageSpan:
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
        self._open = opener(uri, table, dict(storage_options or {}))
        self._table = self._opened()

    def search(self, text: str, where: Sequence[Condition], limit: int) -> list[Candidate]:
        """The nearest documents that fulfil ``where``, best first; the score is the cosine of question and passage.

        No more than ``limit``, and fewer only when fewer documents fulfil the conditions.
        """
        return self.search_near(self._embedder.embed([text])[0], where, limit)

    def search_near(self, vector: Any, where: Sequence[Condition], limit: int) -> list[Candidate]:
        """As `search`, for a question that is embedded already."""
        if limit < 1 or not vector.any():
            return []  # nothing was asked: a question without a single token the model knows
        found: list[Candidate] = self._retried(lambda: self._nearest(vector, where, limit))
        return found

    def nearest_scores(self, vectors: Any) -> list[float]:
        """The score of the nearest document for each of several questions, which are asked at once."""
        found: list[float] = self._retried(lambda: self._nearest_scores(vectors[vectors.any(axis=1)]))
        return found

    def held(self, where: Sequence[Condition]) -> int:
        """How many of the documents that fulfil ``where`` the table holds."""
        found: int = self._retried(lambda: self._held(where))
        return found

    def scores(self, vector: Any, documents: Collection[str]) -> list[Candidate]:
        """The named documents that the table holds, each with its best passage, best first."""
        if not documents:
            return []
        found: list[Candidate] = self._retried(lambda: self._scores(vector, documents))
        return found

    def spread(self, vector: Any, where: Sequence[Condition]) -> Scale | None:
        """Mean and deviation of a question's scores over the documents that fulfil ``where``, each by its best passage.

        None for a table of a former release, and where too few documents are left to tell.
        """
        if not self._table.has_draws:
            return None
        found: Scale | None = self._retried(lambda: self._spread(vector, where))
        return found

    def places(self, candidates: Iterable[Candidate]) -> dict[tuple[str, int], PassageSpan]:
        """Where the passages of ``candidates`` are, by document id and ordinal."""
        wanted = {(candidate.id, candidate.passage) for candidate in candidates}
        if not wanted:
            return {}
        rows = self._retried(lambda: list(self._table.places({name for name, _ in wanted})))
        return {(name, ordinal): PassageSpan(*place) for name, ordinal, *place in rows if (name, ordinal) in wanted}

    def versions(self) -> dict[str, str]:
        """The version of each document that the table holds."""
        found: dict[str, str] = self._retried(lambda: self._table.versions())
        return found

    def _held(self, where: Sequence[Condition]) -> int:
        self._refresh()
        return self._table.documents(predicate(where, self._table.columns))

    def _nearest(self, vector: Any, where: Sequence[Condition], limit: int) -> list[Candidate]:
        self._refresh()
        condition = predicate(where, self._table.columns)
        wanted = max(_MIN_PASSAGES, _PASSAGES_A_DOCUMENT * limit)
        while True:
            rows = self._table.nearest(vector, condition, wanted)
            candidates = _documents(rows)
            if _are_settled(candidates[:limit], rows, limit, wanted):
                return candidates[:limit]
            wanted = min(wanted * 4, _MAX_PASSAGES)

    def _nearest_scores(self, vectors: Any) -> list[float]:
        self._refresh()
        found = []
        for vector, rows in zip(vectors, self._table.nearest_of_each(vectors, _MIN_PASSAGES), strict=True):
            first = _documents(rows)[:1]
            found += first if _are_settled(first, rows, 1, _MIN_PASSAGES) else self._nearest(vector, (), 1)
        return [candidate.score for candidate in found]

    def _scores(self, vector: Any, documents: Collection[str]) -> list[Candidate]:
        self._refresh()
        return _documents(self._table.distances(vector, documents))

    def _spread(self, vector: Any, where: Sequence[Condition]) -> Scale | None:
        self._refresh()
        condition = predicate(where, self._table.columns)
        best = self._table.best(vector, condition, self._exact, self._sample_size)
        if len(best) < 2:
            return None
        return Scale(float(best.mean()), max(_MIN_DEVIATION, float(best.std())))

    def _retried(self, read: Callable[[], Any]) -> Any:
        """Returns the result of ``read``.

        Tries once more with the table opened anew: a version can be cleaned up while it is read.
        """
        try:
            return read()
        except _UNREADABLE:
            self._table = self._opened()
        try:
            return read()
        except _UNREADABLE as error:
            raise self._damaged(error) from error

    def _refresh(self) -> None:
        if self._table.is_stale():
            self._table = self._opened()

    def _opened(self) -> SearchTable:
        try:
            table = self._open()
        except (OSError, ValueError, RuntimeError) as error:
            if "not found" in str(error).lower():
                raise NotFound(f"There is no vector index at {self._uri}.", hint="Run `aicx index`.") from error
            raise self._damaged(error) from error
        self._check(table)
        return table

    def _check(self, table: SearchTable) -> None:
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
        reason = _LIBRARYS_OWN.sub("", str(error).partition("\n")[0])[:_MAX_REASON_LENGTH]
        return CorpusDamaged(f"The vector index at {self._uri} cannot be read: {reason}", hint=hint)


def _are_settled(candidates: Sequence[Candidate], rows: Sequence[Row], limit: int, wanted: int) -> bool:
    """Whether no passage beyond the ``wanted`` nearest can bring another document among the first ``limit``.

    What was not fetched is no nearer than the last passage fetched, and weights only take away.
    """
    if len(rows) < wanted or wanted >= _MAX_PASSAGES:
        return True
    return len(candidates) >= limit and candidates[-1].score >= 1.0 - rows[-1][3]


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


class MeaningSearch:
    """A table and its model, asked the same question several times: its vector is kept until the next.

    ``near`` is the table's noise threshold: how near unrelated questions come.
    """

    def __init__(self, searcher: DenseSearcher, embedder: Embedder, near: float | None) -> None:
        self.searcher, self.embedder, self.near = searcher, embedder, near
        self._embedded: tuple[str, Any] | None = None

    def words_kind(self, *, reranks: bool) -> str:
        """Which of the constants `WORDS` says what words count beside this retriever."""
        kind = self.embedder.kind
        compares = reranks and self.embedder.embed_tokens([]) is not None
        return kind if compares or kind == "static" else f"{kind} alone"

    def nearest(self, text: str, where: Sequence[Condition], limit: int) -> list[Candidate]:
        """The documents nearest in meaning. Raises an AicxError with the next step when the index cannot answer."""
        return self.searcher.search_near(self.vector(text), where, limit)

    def known_words(self, text: str) -> str:
        """``text`` without words that the model only knows in pieces: pieces of nonsense are near to hashes."""
        return self.embedder.known_words(text)

    def places(self, candidates: Sequence[Candidate]) -> dict[str, PassageSpan]:
        """Where the best passage of each candidate is, by its id."""
        found = self.searcher.places(candidates)
        return {one.id: found[one.id, one.passage] for one in candidates if (one.id, one.passage) in found}

    def embed_tokens(self, texts: Sequence[str]) -> list[Tokens] | None:
        """The tokens of texts; None for a model that has no vectors for them."""
        return self.embedder.embed_tokens(texts)

    def complete(
        self,
        rankings: Mapping[str, Sequence[Candidate]],
        words: LexicalSearcher | None,
        question: Question,
        text: str,
        where: Sequence[Condition],
        rules: RankingParams,
    ) -> tuple[dict[str, Sequence[Candidate]], dict[str, Scale]] | None:
        """Every candidate scored by words and by meaning, whichever found it, and what its scores compare with.

        ``text`` is the question as the model is asked it. None where a score has nothing to be compared with. A
        retriever by words that found nothing stays silent.
        """
        best = words.best_possible(question, rules) if words and rankings.get("lexical") else 1.0
        named = {item.id for candidates in rankings.values() for item in candidates}
        found: dict[str, Sequence[Candidate]] = {}
        for name, candidates in rankings.items():
            lacking = named - {item.id for item in candidates}
            more: list[Candidate] = []
            if name == "dense":
                more = self.searcher.scores(self.vector(text), lacking)
            elif words and candidates:
                more = words.scores(question, where, lacking, rules)
            found[name] = sorted([*candidates, *more], key=lambda item: (-item.score, item.id))
        scales = scales_of(found, rules, best, self.searcher.spread(self.vector(text), where))
        return None if scales is None else (found, scales)

    def vector(self, text: str) -> Any:
        """The vector of a question, which is kept until the next."""
        if self._embedded is None or self._embedded[0] != text:
            self._embedded = text, self.embedder.embed([text])[0]
        return self._embedded[1]
