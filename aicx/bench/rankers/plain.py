"""The search of `aicx search` over documents that are not sessions: the same retrievers and fusion rules.

A date in the question limits the answers where documents have days, and what only meaning speaks for has to be nearer
than unrelated questions come.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.bench.dataset import Query
from aicx.bench.rankers import Choices, RankerFolders, dense, lexical
from aicx.bench.rankers.lexical import Lexical
from aicx.dates import lift_dates
from aicx.types import Candidate, Document
from aicx.values import dataclass
from retrieval.conditions import Between, Condition, OneOf
from retrieval.evidence import Occurrences
from retrieval.late import affordable, most_compared, rerank
from retrieval.meaning import MeaningSearch
from retrieval.params import RankingParams
from retrieval.questions import Question, parse_question
from retrieval.ranking import RankedAnswer, above_noise, rank

if TYPE_CHECKING:
    from retrieval.lexical import LexicalSearcher

# The embedder's name where there is none.
LEXICAL = "lexical"

_NEAR = "near.txt"
# As `aicx search` has it: so many of the best answers are compared with the question token by token.
RERANKED = 10


@dataclass(frozen=True, slots=True)
class Plain:
    """All retrievers, or words alone. ``dated`` says that a date in the question limits the answers.

    ``texts`` are the parts of each document, for what compares passages with the question.
    """

    lexical: Lexical
    meaning: MeaningSearch | None
    texts: Mapping[str, Sequence[str]]
    dated: bool
    rules: RankingParams

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        pool = self.rules.candidates(limit)
        text, where = _when(query.text) if self.dated else (query.text, [])
        question = parse_question(text)
        if question.empty:
            return []
        searcher, rules = self.lexical.searcher, self.rules
        looked_up = question.is_lookup or (rules.verbatim and searcher.holds(question, where, rules))
        rankings: dict[str, Sequence[Candidate]] = {"lexical": searcher.search(question, where, pool, rules)}
        if self.meaning is None:
            return _first(rank(rankings, rules.weights(lookup=looked_up), rules).groups, limit)
        # Where no word stands in any document, only what the model knows as a word can mean something.
        asked = question.text if rankings["lexical"] else self.meaning.known_words(question.text)
        standard = rules.fusion == "standard" and not looked_up
        rankings["dense"] = self.meaning.nearest(asked, where, pool)
        if rules.abstain and self.meaning.near is not None:
            lookup = looked_up or len(question.runs) == 1
            rankings.update(above_noise(rankings, self.meaning.near, lookup=lookup))
        words = _LexicalRetriever(searcher, question, where, rules)
        completed = self.meaning.complete(rankings, words, asked, where, rules) if standard else None
        if completed is None:
            return _first(rank(rankings, rules.weights(lookup=looked_up), rules).groups, limit)
        rankings, scales = completed
        weights = rules.standard_weights(self.meaning.words_kind(reranks=bool(rules.rerank)))
        answers = rank(rankings, weights, rules, scales=scales).groups
        if rules.rerank:
            answers = self._reranked(answers, rankings, asked, searcher.occurrences(question, where, rules))
        return _first(answers, limit)

    def _reranked(
        self,
        answers: Sequence[RankedAnswer],
        rankings: Mapping[str, Sequence[Candidate]],
        asked: str,
        occurrences: Occurrences,
    ) -> Sequence[RankedAnswer]:
        assert self.meaning is not None
        if (found := self.meaning.embed_tokens([asked])) is None:
            return answers
        meaning = self.meaning
        wanted = [answer.group for answer in answers[: most_compared(RERANKED)]]
        places = meaning.places([item for item in rankings["dense"] if item.id in wanted])
        around = 120 if meaning.embedder.kind == "static" else 0
        found_texts = (
            (document, self.texts[document][place.part][max(0, place.start - around) : place.stop + around])
            for document in wanted
            if (place := places.get(document)) and document in self.texts
        )
        passages = affordable(found_texts, RERANKED, meaning.embedder.kind)
        again, _ = rerank(
            answers,
            passages,
            (asked, found[0]),
            lambda texts: meaning.embed_tokens(texts) or [],
            occurrences,
            self.rules.rerank,
        )
        return again


@dataclass(frozen=True, slots=True)
class _LexicalRetriever:
    """The retriever by words, asked one question."""

    searcher: LexicalSearcher
    question: Question
    where: Sequence[Condition]
    rules: RankingParams

    def scores(self, documents: Collection[str]) -> list[Candidate]:
        if not documents:
            return []
        named = (*self.where, OneOf("id", tuple(sorted(documents))))
        return self.searcher.search(self.question, named, len(documents), self.rules)

    def best_possible(self) -> float:
        return self.searcher.best_possible(self.question, self.rules)


def _first(answers: Sequence[RankedAnswer], limit: int) -> list[Candidate]:
    return [Candidate(answer.best, answer.score) for answer in answers[:limit]]


def build(embedder: str, documents: Sequence[Document], place: RankerFolders) -> float:
    seconds = lexical.build(LEXICAL, documents, place)
    if embedder == LEXICAL:
        return seconds
    from aicx.engine.vector_model import calibrate_noise

    seconds += dense.build(f"dense:{embedder}", documents, place)
    folder = dense.folder_of(f"dense:{embedder}", place)
    near = calibrate_noise(str(folder), dense.prepared(embedder, place))
    (folder / _NEAR).write_text("" if near is None else str(near))
    return seconds


def open_ranker(embedder: str, documents: Sequence[Document], place: RankerFolders, choices: Choices) -> Plain:
    words = lexical.open_ranker(LEXICAL, documents, place, choices)
    dated = choices.lift_dates and any("day" in document.columns for document in documents)
    texts = {document.id: [part.text for part in document.parts] for document in documents}
    if embedder == LEXICAL:
        return Plain(words, None, texts, dated, choices.rules)
    noted = (dense.folder_of(f"dense:{embedder}", place) / _NEAR).read_text()
    opened = dense.open_ranker(f"dense:{embedder}", documents, place)
    meaning = MeaningSearch(opened.searcher, opened.embedder, float(noted) if noted else None)
    return Plain(words, meaning, texts, dated, choices.rules)


def index_paths(embedder: str, place: RankerFolders) -> Sequence[Path]:
    words = lexical.index_paths(LEXICAL, place)
    if embedder == LEXICAL:
        return words
    return (*words, *dense.index_paths(f"dense:{embedder}", place))


def _when(text: str) -> tuple[str, list[Condition]]:
    """A question without its dates, and the days they span as a condition."""
    dated = lift_dates(text)
    if dated.days is None:
        return text, []
    low, high = (int(day.replace("-", "")) if day else None for day in dated.days)
    return dated.text, [Between("day", low, high)]
