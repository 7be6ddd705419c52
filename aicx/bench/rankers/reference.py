"""rank-bm25, the reference BM25: over plain words as its own page shows, or over what our analysis makes of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, RankerFolders, full_text
from aicx.types import Candidate, Document

IN_MEMORY = True

_WORD = re.compile(r"\w+")


class Reference:
    """BM25 over tokens, in memory."""

    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        # Imported here: it brings numpy.
        from rank_bm25 import BM25Okapi

        self._tokenize = _analysed if name == "bm25-analysed" else _plain
        self._ids = [document.id for document in documents]
        self._bm25: Any = BM25Okapi([self._tokenize(full_text(document)) for document in documents])

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        tokens = self._tokenize(query.text)
        if not tokens:
            return []
        scores = self._bm25.get_scores(tokens)
        order = scores.argsort(kind="stable")[::-1][:limit]
        return [Candidate(self._ids[row], float(scores[row])) for row in order if scores[row] > 0]


open_ranker = Reference


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> None:
    """Nothing: it works in memory."""


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return ()


def _plain(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _analysed(text: str) -> list[str]:
    from retrieval.analysis import analyze

    terms = analyze(text)
    return [*terms.words, *terms.names]
