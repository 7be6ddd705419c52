"""The search of `aicx search` over documents that are not sessions: the same retrievers and fusion rules.

A date in the question limits the answers where documents have days, and what only meaning speaks for has to be nearer
than unrelated questions come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import Choices, Place, dense, lexical
from aicx.bench.rankers.dense import Dense
from aicx.bench.rankers.lexical import Lexical
from aicx.dates import lift_dates
from aicx.types import Candidate, Document
from retrieval.conditions import Between, Condition
from retrieval.params import RankingParams
from retrieval.questions import parse_question
from retrieval.ranking import above_noise, rank

# The embedder's name where there is none.
LEXICAL = "lexical"

# As `aicx search` has it: so many candidates of each retriever are joined, at least.
_POOL = 100
_NEAR = "near.txt"


@dataclass(frozen=True, slots=True)
class Plain:
    """Both retrievers, or words alone. ``near`` is how near chance comes by meaning; None where that is unknown.

    ``dated`` says that a date in the question limits the answers.
    """

    lexical: Lexical
    dense: Dense | None
    near: float | None
    dated: bool
    rules: RankingParams

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        pool = max(_POOL, 3 * limit)
        text, where = _when(query.text) if self.dated else (query.text, [])
        question = parse_question(text)
        if question.empty:
            return []
        searcher = self.lexical.searcher
        rankings = {"lexical": searcher.search(question, where, pool, self.rules)}
        if self.dense is not None:
            # Where no word stands in any document, only what the model knows as a word can mean something.
            asked = question.text if rankings["lexical"] else self.dense.embedder.known_words(question.text)
            rankings["dense"] = self.dense.searcher.search(asked, where, pool)
            if self.rules.abstain and self.near is not None:
                rankings["dense"] = above_noise(rankings, self.near)
        looked_up = question.is_lookup or (self.rules.verbatim and searcher.holds(question, where, self.rules))
        answers = rank(rankings, self.rules.weights(lookup=looked_up), self.rules)
        return [Candidate(answer.best, answer.score) for answer in answers[:limit]]


def build(embedder: str, documents: Sequence[Document], place: Place) -> float:
    seconds = lexical.build(LEXICAL, documents, place)
    if embedder == LEXICAL:
        return seconds
    from aicx.engine.vector_index import calibrate_noise

    name = f"dense:{embedder}"
    seconds += dense.build(name, documents, place)
    folder = dense.folder_of(name, place)
    near = calibrate_noise(str(folder), dense.prepared(embedder, place))
    (folder / _NEAR).write_text("" if near is None else str(near))
    return seconds


def open_ranker(embedder: str, documents: Sequence[Document], place: Place, choices: Choices) -> Plain:
    words = lexical.open_ranker(LEXICAL, documents, place, choices)
    dated = choices.lift_dates and any("day" in document.columns for document in documents)
    if embedder == LEXICAL:
        return Plain(words, None, None, dated, choices.rules)
    name = f"dense:{embedder}"
    noted = (dense.folder_of(name, place) / _NEAR).read_text()
    near = float(noted) if noted else None
    return Plain(words, dense.open_ranker(name, documents, place), near, dated, choices.rules)


def index_paths(embedder: str, place: Place) -> Sequence[Path]:
    words = lexical.index_paths(LEXICAL, place)
    return words if embedder == LEXICAL else (*words, *dense.index_paths(f"dense:{embedder}", place))


def _when(text: str) -> tuple[str, list[Condition]]:
    """A question without its dates, and the days they span as a condition."""
    dated = lift_dates(text)
    if dated.days is None:
        return text, []
    low, high = (int(day.replace("-", "")) if day else None for day in dated.days)
    return dated.text, [Between("day", low, high)]
