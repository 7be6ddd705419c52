"""Our BM25 retriever: the index that `aicx store` builds, over any documents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, RankerFolders
from aicx.corpus.views import FIELDS, NUMBER_COLUMNS, TEXT_COLUMNS
from aicx.types import Candidate, Document
from retrieval.questions import parse_question

IN_MEMORY = False


class Lexical:
    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        from retrieval.lexical import LexicalSearcher

        self.searcher, self._rules = LexicalSearcher(_folder(place)), choices.rules

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        return self.searcher.search(parse_question(query.text), (), limit, self._rules)


open_ranker = Lexical


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float:
    from indexer.lexical import LexicalSchema, LexicalWriter, analyze_document
    from retrieval.analysis import analyze

    def terms(text: str) -> tuple[list[str], list[str]]:
        found = analyze(text)
        return found.words, found.names

    started = time.perf_counter()
    writer = LexicalWriter(_folder(place), LexicalSchema(FIELDS, TEXT_COLUMNS, NUMBER_COLUMNS), fresh=True)
    writer.update((analyze_document(document, terms) for document in documents), ())
    return time.perf_counter() - started


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return (_folder(place),)


def _folder(place: RankerFolders) -> Path:
    return place.folder / "lexical"
