"""The retriever by meaning of one corpus, and how its scores join those by words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from aicx.types import Candidate
from retrieval.dense import DenseSearcher, PassageSpan, Where
from retrieval.embedders import Embedder, Tokens
from retrieval.fusion import Scale
from retrieval.params import RankingParams
from retrieval.ranking import scales_of


class Words(Protocol):
    """What is needed of the retriever by words, for one question."""

    def scores(self, documents: Collection[str]) -> list[Candidate]: ...

    def best_possible(self) -> float: ...


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

    def nearest(self, text: str, where: Sequence[Where], limit: int) -> list[Candidate]:
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
        words: Words,
        text: str,
        where: Sequence[Where],
        rules: RankingParams,
    ) -> tuple[dict[str, Sequence[Candidate]], dict[str, Scale]] | None:
        """Every candidate scored by words and by meaning, whichever found it, and what its scores compare with.

        None where a score has nothing to be compared with. A retriever by words that found nothing stays silent.
        """
        best = words.best_possible() if rankings.get("lexical") else 1.0
        named = {item.id for candidates in rankings.values() for item in candidates}
        found: dict[str, Sequence[Candidate]] = {}
        for name, candidates in rankings.items():
            lacking = named - {item.id for item in candidates}
            more: list[Candidate] = []
            if name == "dense":
                more = self.searcher.scores(self.vector(text), lacking)
            elif candidates:
                more = words.scores(lacking)
            found[name] = sorted([*candidates, *more], key=lambda item: (-item.score, item.id))
        scales = scales_of(found, rules, best, self.searcher.spread(self.vector(text), where))
        return None if scales is None else (found, scales)

    def vector(self, text: str) -> Any:
        """The vector of a question, which is kept until the next."""
        if self._embedded is None or self._embedded[0] != text:
            self._embedded = text, self.embedder.embed([text])[0]
        return self._embedded[1]
