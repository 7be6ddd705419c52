"""Our two retrievers fused: by weighted scores (``weighted:static``) or by reciprocal ranks (``rrf:static``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, RankerFolders, dense, lexical
from aicx.types import Candidate, Document
from retrieval.questions import parse_question
from retrieval.ranking import rank

IN_MEMORY = False


class Joined:
    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        self._lexical = lexical.Lexical("lexical", documents, place, choices)
        self._dense = dense.Dense(_dense(name), documents, place, choices)
        self._rules = replace(choices.rules, fusion="reciprocal" if name.startswith("rrf") else "weighted")

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        pool = self._rules.candidates(limit)
        rankings = {"lexical": self._lexical.rank(query, pool), "dense": self._dense.rank(query, pool)}
        weights = self._rules.weights(lookup=parse_question(query.text).is_lookup)
        return [Candidate(answer.best, answer.score) for answer in rank(rankings, weights, self._rules)[0][:limit]]


open_ranker = Joined


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float:
    return lexical.build("lexical", documents, place) + dense.build(_dense(name), documents, place)


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return (*lexical.index_paths("lexical", place), *dense.index_paths(_dense(name), place))


def _dense(name: str) -> str:
    return f"dense:{name.partition(':')[2]}"
