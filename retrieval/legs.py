"""The retrievers by meaning of one corpus: ``dense``, and ``light`` where the static model joins MiniLM.

A contextual model reads longer passages and knows what words mean together; the static one's short passages find a
sentence that a longer one drowns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from aicx.types import Candidate
from retrieval.dense import DenseSearcher, Place, Where
from retrieval.embedders import Embedder, Tokens
from retrieval.fusion import Scale
from retrieval.params import RankingParams
from retrieval.ranking import scales_of


@dataclass(frozen=True, slots=True)
class Leg:
    """One table, its model, and its noise threshold: how near unrelated questions come."""

    searcher: DenseSearcher
    embedder: Embedder
    near: float | None


class Words(Protocol):
    """What is needed of the retriever by words, for one question."""

    def scores(self, documents: Collection[str]) -> list[Candidate]: ...

    def best_possible(self) -> float: ...


class Legs:
    """The retrievers by name, asked the same question several times: its vectors are kept until the next."""

    def __init__(self, legs: Mapping[str, Leg]) -> None:
        self.legs = legs
        self._vectors: dict[tuple[str, str], Any] = {}

    def words_kind(self, *, reranks: bool) -> str:
        """Which of the constants `WORDS` says what words count beside these retrievers."""
        embedder = self.legs["dense"].embedder
        compares = reranks and embedder.embed_tokens([]) is not None
        return embedder.kind if compares or embedder.kind == "static" else f"{embedder.kind} alone"

    def nearest(self, leg: str, text: str, where: Sequence[Where], limit: int) -> list[Candidate]:
        """The documents nearest in meaning. Raises an AicxError with the next step when the index cannot answer."""
        return self.legs[leg].searcher.search_near(self._vector(leg, text), where, limit)

    def known_words(self, text: str) -> str:
        """``text`` without words that the model only knows in pieces: pieces of nonsense are near to hashes."""
        return self.legs["dense"].embedder.known_words(text)

    def places(self, leg: str, candidates: Sequence[Candidate]) -> dict[str, Place]:
        """Where the best passage of each candidate is, by its id."""
        found = self.legs[leg].searcher.places(candidates)
        return {one.id: found[one.id, one.passage] for one in candidates if (one.id, one.passage) in found}

    def embed_tokens(self, texts: Sequence[str]) -> tuple[str, list[Tokens]] | None:
        """The tokens of texts by the first model that has vectors for them, and the name of its leg."""
        for name, leg in self.legs.items():
            if (tokens := leg.embedder.embed_tokens(texts)) is not None:
                return name, tokens
        return None

    def complete(
        self,
        rankings: Mapping[str, Sequence[Candidate]],
        words: Words,
        text: str,
        where: Sequence[Where],
        rules: RankingParams,
    ) -> tuple[dict[str, Sequence[Candidate]], dict[str, Scale]] | None:
        """Every candidate scored by every retriever, whichever found it, and what their scores compare with.

        None where a score has nothing to be compared with. A retriever by words that found nothing stays silent.
        """
        spreads = {
            name: leg.searcher.spread(self._vector(name, text), where)
            for name, leg in self.legs.items()
            if name in rankings
        }
        best = words.best_possible() if rankings.get("lexical") else 1.0
        named = {item.id for candidates in rankings.values() for item in candidates}
        found: dict[str, Sequence[Candidate]] = {}
        for name, candidates in rankings.items():
            lacking = named - {item.id for item in candidates}
            more: list[Candidate] = []
            if name in spreads:
                more = self.legs[name].searcher.scores(self._vector(name, text), lacking)
            elif candidates:
                more = words.scores(lacking)
            found[name] = sorted([*candidates, *more], key=lambda item: (-item.score, item.id))
        scales = scales_of(found, rules, best, spreads)
        return None if scales is None else (found, scales)

    def _vector(self, leg: str, text: str) -> Any:
        if (leg, text) not in self._vectors:
            self._vectors = {key: vector for key, vector in self._vectors.items() if key[1] == text}
            self._vectors[leg, text] = self.legs[leg].embedder.embed([text])[0]
        return self._vectors[leg, text]
