"""Asks the inverted indexes of a share what the local index is asked: the same clauses, as LanceDB's own queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Thread
from typing import Any

from retrieval.analysis import Terms
from retrieval.evidence import Occurrences, rarity, units_of
from retrieval.params import RankingParams
from retrieval.questions import Question, QuestionClauses, widen

# BM25's k1 + 1: what a term that is all of a text counts, times how rare it is.
_SATURATION = 2.2
_TEXT = ("said", "thought", "tool")
# Rows with a word that are counted at most: beyond, it is a common one.
_MAX_COUNTED = 50_000
_WORDS_OF_A_SENTENCE = 5
_THREADS = 8


class LanceQueries:
    """Clauses as LanceDB has them. ``has`` says whether a column has a term: what none has is not asked for.

    A term alone is its column, the term and its worth. LanceDB takes the best of several columns, and of several terms
    in one column the sum.
    """

    def __init__(self, has: Callable[[str, str], object]) -> None:
        from lancedb import query

        self._query = query
        self._has = has

    def term(self, field: str, term: str, worth: float) -> Any:
        return field, term, worth

    def phrase(self, field: str, words: Sequence[Any], worth: float) -> Any:
        if len(words) == 1:
            return self.term(field, words[0], worth)
        if worth < 1:
            # A phrase has no weight of its own, and in full it would count for more than the name itself.
            every = self._query.FullTextOperator.AND
            return self._query.MatchQuery(" ".join(words), field, boost=worth, operator=every)
        return self.any_of([self._query.PhraseQuery(" ".join(words), field)] * round(worth))

    def best_of(self, clauses: Sequence[Any]) -> Any:
        terms = [one for one in clauses if isinstance(one, tuple)]
        there = [one for one in terms if self._has(*one[:2])]
        worths = {column: worth for column, _, worth in there}
        if len(terms) < len(clauses) or len(worths) < 2:
            return self.any_of(there if len(terms) == len(clauses) and there else clauses)
        # A stem is in no column of names, and a name in none of words.
        words = " ".join(dict.fromkeys(term for _, term, _ in there))
        return self._query.MultiMatchQuery(words, list(worths), boosts=list(worths.values()))

    def all_of(self, clauses: Sequence[Any], better: Sequence[Any] = ()) -> Any:
        occur, boolean = self._query.Occur, self._query.BooleanQuery
        must = [(occur.MUST, self.whole(clause)) for clause in clauses]
        return boolean([*must, *((occur.SHOULD, self.whole(clause)) for clause in better)])

    def whole(self, clause: Any) -> Any:
        """A clause as a query that can be asked."""
        if not isinstance(clause, tuple):
            return clause
        column, term, worth = clause
        return self._query.MatchQuery(term, column, boost=worth)

    def any_of(self, clauses: Sequence[Any]) -> Any:
        """The clauses as one query: terms of a column that are worth the same are asked together."""
        should = self._query.Occur.SHOULD
        together: dict[tuple[str, float], list[str]] = {}
        rest: list[Any] = []
        for clause in self._flat(should, clauses):
            if isinstance(clause, tuple):
                column, term, worth = clause
                together.setdefault((column, worth), []).append(term)
            else:
                rest.append(clause)
        match = self._query.MatchQuery
        terms = [match(" ".join(words), column, boost=worth) for (column, worth), words in together.items()]
        return self._query.BooleanQuery([(should, one) for one in (*terms, *rest)])

    def _flat(self, occur: Any, clauses: Iterable[Any]) -> Iterable[Any]:
        for clause in clauses:
            if isinstance(clause, self._query.BooleanQuery) and all(one == occur for one, _ in clause.queries):
                yield from (query for _, query in clause.queries)
            else:
                yield clause


class SharedWords:
    """The inverted indexes of one table, asked one question."""

    def __init__(self, table: Any, rules: RankingParams) -> None:
        self._table = table
        self._rules = rules
        self._rows: dict[tuple[str, str], frozenset[int]] = {}
        self._queries = LanceQueries(lambda column, term: self._rows.get((column, term), True))
        self.documents = int(table.count_rows())

    def prepared(self, question: Question) -> Question:
        """Counts the rows with each word of a question; a word that no row has is looked for in any language."""
        self._count(question)
        unknown = [run.typed for run in question.runs if not self._stands(run)]
        if not unknown:
            return question
        question = widen(question, unknown)
        self._count(question)
        return question

    def query(self, question: Question) -> Any:
        """The question as one query; None where it leaves nothing to look for."""
        return self._clauses().wanted(question)

    def sentence(self, question: Question) -> Any:
        """The query for rows that have the whole question side by side; None for a short one."""
        words = question.terms.words
        return self._clauses().side_by_side(words) if len(words) >= _WORDS_OF_A_SENTENCE else None

    def occurrences(self, question: Question) -> Occurrences:
        """About how many rows have each word in any field."""
        units = units_of(question)
        counts = (len(frozenset[int]().union(*(self._with(unit, field) for field in self._fields()))) for unit in units)
        return Occurrences(units, tuple(counts), self.documents)

    def best_possible(self, question: Question) -> float:
        """About the score of a row that has nothing but the question in every field of its text."""
        total = 0.0
        for unit in units_of(question):
            for field in _TEXT:
                if count := len(self._with(unit, field)):
                    total += self._rules.fields[field] * rarity(count, self.documents)
        return _SATURATION * total

    def _clauses(self) -> QuestionClauses:
        return QuestionClauses(self._queries, self._rules, self._stands)

    def _fields(self) -> list[str]:
        return [field for field in self._rules.fields if not field.endswith("_names")]

    def _count(self, question: Question) -> None:
        wanted = {
            (field, term)
            for run in (*question.runs, *units_of(question))
            for field in self._rules.fields
            for term in _terms_in(run, names=field.endswith("_names"))
        }
        waiting = iter(sorted(wanted - self._rows.keys()))
        failed: list[Exception] = []

        def count() -> None:
            for asked in waiting:
                try:
                    self._rows[asked] = self._rows_with(asked)
                except Exception as error:  # noqa: BLE001  raised below
                    failed.append(error)
                    return

        # Not those of an executor: a process waits for these when it ends, also where nobody waits for the answer.
        threads = [Thread(target=count, daemon=True) for _ in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise failed[0]

    def _rows_with(self, asked: tuple[str, str]) -> frozenset[int]:
        field, term = asked
        query = self._queries.whole(self._queries.term(field, term, 1.0))
        found = self._table.search(query).select(["draw"]).with_row_id(True).limit(_MAX_COUNTED).to_arrow()
        return frozenset(found["_rowid"].to_pylist())

    def _with(self, unit: Terms, field: str) -> frozenset[int]:
        """The rows with a word in a field: of its terms those of the one that most have."""
        terms = [(f"{field}_names", name) for name in _terms_in(unit, names=True)]
        # A name's words apart are something else.
        terms += [] if unit.names else [(field, word) for word in _terms_in(unit, names=False)]
        return max((self._rows.get(term, frozenset()) for term in terms), key=len, default=frozenset())

    def _stands(self, run: Terms) -> bool:
        names = any(self._has(name, names=True) for name in _terms_in(run, names=True))
        words = (*run.others, *(() if run.names else run.words))
        return names or not (words or run.names) or any(self._has(word, names=False) for word in words)

    def _has(self, term: str, *, names: bool) -> bool:
        fields = (field for field in self._rules.fields if field.endswith("_names") == names)
        return any(self._rows.get((field, term)) for field in fields)


def _terms_in(run: Terms, *, names: bool) -> list[str]:
    return [term for term in ((*run.names, run.whole) if names else (*run.words, *run.others)) if term]
