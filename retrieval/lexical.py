"""Ranks documents by BM25 over their fields, in a tantivy index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged, NotFound
from aicx.types import Candidate
from retrieval.analysis import analyze
from retrieval.conditions import AnyOf, Between, Condition, NoneOf, OneOf
from retrieval.questions import Question


class LexicalSearcher:
    """An open BM25 index. ``weights`` says how much a hit in each field counts; fields without one are not searched."""

    def __init__(self, folder: Path, weights: Mapping[str, float]) -> None:
        import tantivy

        self._tantivy = tantivy
        self._weights = dict(weights)
        if not (folder / "meta.json").exists():
            raise NotFound(f"there is no lexical index in {folder}", hint="aicx store builds it")
        try:
            self._index = tantivy.Index.open(str(folder))
            self._searcher = self._index.searcher()
        except (ValueError, OSError) as error:
            raise CorpusDamaged(f"the lexical index in {folder} cannot be read: {error}", hint="aicx store") from error
        self._schema = self._index.schema

    @property
    def size(self) -> int:
        """How many documents are indexed."""
        return int(self._searcher.num_docs)

    def search(self, question: Question, where: Sequence[Condition], limit: int) -> list[Candidate]:
        """The best documents among those that fulfil every condition, best first.

        A document matches when it shares a single term; a quoted phrase must occur. Ties come in the order of ids.
        """
        wanted = self._wanted(question)
        if wanted is None:
            return []
        must = self._tantivy.Occur.Must
        clauses = [(must, wanted), *((must, self._filter(condition)) for condition in where)]
        try:
            found = self._searcher.search(self._tantivy.Query.boolean_query(clauses), limit, count=False).hits
        except ValueError as error:
            raise CorpusDamaged(f"the lexical index cannot be searched: {error}", hint="aicx store") from error
        hits = [(score, self._searcher.doc(address)["id"][0]) for score, address in found]
        hits.sort(key=lambda hit: (-hit[0], hit[1]))
        return [Candidate(document, score) for score, document in hits]

    def _wanted(self, question: Question) -> Any:
        query = self._tantivy.Query
        should = self._tantivy.Occur.Should
        clauses = []
        for field, weight in self._weights.items():
            terms = question.terms.names if field.endswith("_names") else question.terms.words
            # A term asked twice counts twice, as BM25 has it.
            clauses += [
                (should, query.boost_query(query.term_query(self._schema, field, term, "freq"), weight))
                for term in terms
            ]
        if not clauses:
            return None
        phrases = [phrase for text in question.phrases if (phrase := self._phrase(text)) is not None]
        if not phrases:
            return query.boolean_query(clauses)
        must = self._tantivy.Occur.Must
        return query.boolean_query([*((must, phrase) for phrase in phrases), (should, query.boolean_query(clauses))])

    def _phrase(self, text: str) -> Any:
        words: list[Any] = list(analyze(text).words)
        if not words:
            return None
        query = self._tantivy.Query
        fields = [field for field in self._weights if not field.endswith("_names")]
        single = len(words) == 1
        return query.disjunction_max_query(
            [
                query.term_query(self._schema, field, words[0])
                if single
                else query.phrase_query(self._schema, field, words)
                for field in fields
            ]
        )

    def _filter(self, condition: Condition) -> Any:
        """A condition as a query that decides and does not score."""
        return self._tantivy.Query.const_score_query(self._condition(condition), 0.0)

    def _condition(self, condition: Condition) -> Any:
        query, occur = self._tantivy.Query, self._tantivy.Occur
        match condition:
            case OneOf(column, values):
                return query.term_set_query(self._schema, _field(column), list(values))
            case NoneOf(column, values):
                excluded = query.term_set_query(self._schema, _field(column), list(values))
                return query.boolean_query([(occur.Must, query.all_query()), (occur.MustNot, excluded)])
            case Between(column, low, high):
                number = self._tantivy.FieldType.Integer
                return query.range_query(self._schema, _field(column), number, low, high)
            case AnyOf(conditions):
                return query.boolean_query([(occur.Should, self._condition(part)) for part in conditions])


def _field(column: str) -> str:
    return "id" if column == "id" else f"c_{column}"
