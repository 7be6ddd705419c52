"""Our two retrievers fused: by weighted scores (``weighted:static``) or by reciprocal ranks (``rrf:static``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, Ranker, RankerFolders, dense, lexical
from aicx.types import Candidate, Document
from aicx.values import dataclass
from retrieval.params import RankingParams
from retrieval.questions import parse_question
from retrieval.ranking import rank

IN_MEMORY = False


@dataclass(frozen=True, slots=True)
class Joined:
    lexical: Ranker
    dense: Ranker
    rules: RankingParams

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        pool = self.rules.candidates(limit)
        rankings = {"lexical": self.lexical.rank(query, pool), "dense": self.dense.rank(query, pool)}
        weights = self.rules.weights(lookup=parse_question(query.text).is_lookup)
        return [Candidate(answer.best, answer.score) for answer in rank(rankings, weights, self.rules)[0][:limit]]


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float:
    return lexical.build("lexical", documents, place) + dense.build(_dense(name), documents, place)


def open_ranker(
    name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
) -> Joined:
    return Joined(
        lexical.open_ranker("lexical", documents, place, choices),
        dense.open_ranker(_dense(name), documents, place, choices),
        replace(choices.rules, fusion="reciprocal" if name.startswith("rrf") else "weighted"),
    )


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return (*lexical.index_paths("lexical", place), *dense.index_paths(_dense(name), place))


def _dense(name: str) -> str:
    return f"dense:{name.partition(':')[2]}"
