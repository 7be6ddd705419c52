"""Ranks documents by BM25 over their fields, in a tantivy index."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged, NotFound
from aicx.types import Candidate
from retrieval.analysis import Terms, analyze
from retrieval.conditions import AnyOf, Between, Condition, NoneOf, OneOf
from retrieval.opening import open_index
from retrieval.params import DEFAULT_PARAMS, RankingParams
from retrieval.questions import Question
from retrieval.spelling import nearest

_PART_OF_NAME = 0.25
_WORDS_OF_A_SENTENCE = 5
_MAX_REASON_LENGTH = 200
# What a misspelt word is taken for begins with the same letters.
_SURE_LETTERS = 2
_MAX_TYPED = 12
_MAX_TERMS = 5000


class LexicalSearcher:
    """An open BM25 index, as it was when it was opened."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._tantivy = tantivy
        self._folder = folder
        # What only a search finds damaged looks whole to whoever opens it, so it has to be taken away.
        self._take_away = f"rm -r {shlex.quote(str(folder))}, then aicx store"
        if not (folder / "meta.json").exists():
            raise NotFound(f"there is no lexical index in {folder}", hint="aicx store")
        with self._reading("aicx store"):
            self._index = open_index(folder)
            self._searcher = self._index.searcher()
            self._schema = self._index.schema

    @property
    def size(self) -> int:
        """How many documents are indexed."""
        return int(self._searcher.num_docs)

    def search(
        self, question: Question, where: Sequence[Condition], limit: int, rules: RankingParams = DEFAULT_PARAMS
    ) -> list[Candidate]:
        """The best documents among those that fulfil every condition, best first.

        A document matches when it shares a single term; a quoted phrase must occur. Ties come in the order of ids.
        """
        # What tantivy refuses in a question says nothing of the index, so it is put together outside `_reading`.
        wanted = self._wanted(question, rules)
        if wanted is None:
            return []
        must = self._tantivy.Occur.Must
        query = self._tantivy.Query.boolean_query(
            [(must, wanted), *((must, self._filter(condition)) for condition in where)]
        )
        with self._reading(self._take_away):
            found = self._searcher.search(query, limit, count=False).hits
            hits = [(score, self._searcher.doc(address)["id"][0]) for score, address in found]
        hits.sort(key=lambda hit: (-hit[0], hit[1]))
        return [Candidate(document, score) for score, document in hits]

    @contextmanager
    def _reading(self, hint: str) -> Iterator[None]:
        """What tantivy says of files that are not what they should be, as CorpusDamaged."""
        try:
            yield
        except (ValueError, OSError) as error:
            reason = str(error).splitlines()[0][:_MAX_REASON_LENGTH]
            raise CorpusDamaged(f"the lexical index in {self._folder} cannot be read: {reason}", hint=hint) from error
        except BaseException as error:
            # Its Rust code panics on some of them, which Python sees as an exception of no importable class.
            if type(error).__name__ != "PanicException":
                raise
            raise CorpusDamaged(f"the lexical index in {self._folder} is damaged", hint=hint) from error

    def holds(self, question: Question, where: Sequence[Condition], rules: RankingParams = DEFAULT_PARAMS) -> bool:
        """Whether a document that fulfils every condition has the whole question side by side: somebody's own words."""
        words = question.terms.words
        if len(words) < _WORDS_OF_A_SENTENCE:
            return False
        query, must = self._tantivy.Query, self._tantivy.Occur.Must
        sentence = self._side_by_side(words, rules)
        clauses = [(must, sentence), *((must, self._filter(condition)) for condition in where)]
        with self._reading(self._take_away):
            return bool(self._searcher.search(query.boolean_query(clauses), 1, count=False).hits)

    def misspelt(self, question: Question, rules: RankingParams = DEFAULT_PARAMS) -> list[tuple[str, str]]:
        """Words and names of a question that stand in no document, each with the term most like it that does.

        What is like nothing is left out. A term is a stem, or a whole name. Long questions are pasted, not typed.
        """
        found: list[tuple[str, str]] = []
        if len(question.runs) > _MAX_TYPED:
            return found
        with self._reading(self._take_away):
            for words, names, whole in {(tuple(run.words), tuple(run.names), run.whole): None for run in question.runs}:
                name = whole or next(iter(names), "")
                if not name or self._stands(words, names or (whole,), rules):
                    continue
                near = self._term_like(words[0], rules, names=False) if whole else None
                near = near or self._term_like(name, rules, names=True)
                found += [(name, near)] if near else []
        return found

    def _stands(self, words: Sequence[str], names: Sequence[str], rules: RankingParams) -> bool:
        """Whether some document has one of the names of a run, or the word that a plain run is."""

        def occurs(term: str, *, name: bool) -> bool:
            return any(self._searcher.doc_freq(f, term) for f in rules.fields if f.endswith("_names") == name)

        return any(occurs(name, name=True) for name in names) or (len(words) == 1 and occurs(words[0], name=False))

    def _term_like(self, term: str, rules: RankingParams, *, names: bool) -> str | None:
        """The term most like one that occurs nowhere, among those that begin alike: few err in the first letters."""
        known: dict[str, int] = {}
        for field in rules.fields:
            if field.endswith("_names") == names:
                for other, count in self._searcher.terms_with_prefix(field, term[:_SURE_LETTERS], limit=_MAX_TERMS):
                    known[other] = known.get(other, 0) + count
        return nearest(term, known)

    def _wanted(self, question: Question, rules: RankingParams) -> Any:
        query = self._tantivy.Query
        should = self._tantivy.Occur.Should
        lookup = question.is_lookup
        clauses = [(should, clause) for run in question.runs for clause in self._clauses(run, rules, lookup=lookup)]
        if not clauses:
            return None
        phrases = [phrase for text in question.phrases if (phrase := self._phrase(text, rules)) is not None]
        if not phrases:
            return query.boolean_query(clauses)
        must = self._tantivy.Occur.Must
        return query.boolean_query([*((must, phrase) for phrase in phrases), (should, query.boolean_query(clauses))])

    def _clauses(self, run: Terms, rules: RankingParams, *, lookup: bool) -> Iterator[Any]:
        """One word or name of a question, in every field. A term asked twice counts twice, as BM25 has it."""
        as_one = rules.names_as_one and run.names and run.words
        share = 1.0 / len(run.words) if as_one else 1.0
        for field, weight in rules.fields.items():
            if field.endswith("_names"):
                for number, name in enumerate(run.names):
                    worth = weight
                    if lookup and rules.lookup_name:
                        # The whole name is what is looked for; its file name or last part is the next best.
                        worth = rules.lookup_name * (1.0 if number == 0 else _PART_OF_NAME)
                    yield self._term(field, name, worth)
            elif lookup and rules.lookup_phrase and run.names and len(run.words) > 1:
                side_by_side = self._tantivy.Query.phrase_query(self._schema, field, list(run.words))
                yield self._tantivy.Query.boost_query(side_by_side, rules.lookup_phrase)
        together = lookup and rules.lookup_all and len(run.words) > 1
        whole = run.whole if rules.words_as_names else ""
        anywhere = [list(self._anywhere(word, whole, share, rules)) for word in run.words]
        if together:
            query, occur = self._tantivy.Query, self._tantivy.Occur
            each = [query.boolean_query([(occur.Should, clause) for clause in clauses]) for clauses in anywhere]
            yield query.boolean_query([(occur.Must, clause) for clause in each])
        else:
            yield from chain.from_iterable(anywhere)

    def _anywhere(self, word: str, whole: str, share: float, rules: RankingParams) -> Iterator[Any]:
        """A word in each field of words; or in its place, where it counts more, the name ``whole`` that it may be."""
        for field, weight in rules.fields.items():
            if field.endswith("_names"):
                continue
            clause = self._term(field, word, weight * share)
            if whole and (worth := rules.fields.get(f"{field}_names")):
                clause = self._tantivy.Query.disjunction_max_query([clause, self._term(f"{field}_names", whole, worth)])
            yield clause

    def _term(self, field: str, term: str, worth: float) -> Any:
        query = self._tantivy.Query
        return query.boost_query(query.term_query(self._schema, field, term, "freq"), worth)

    def _phrase(self, text: str, rules: RankingParams) -> Any:
        words = analyze(text).words
        return self._side_by_side(words, rules) if words else None

    def _side_by_side(self, words: Sequence[Any], rules: RankingParams) -> Any:
        """Words one after the other in any field of words; the field where they are worth most counts."""
        query = self._tantivy.Query
        fields = [field for field in rules.fields if not field.endswith("_names")]
        if len(words) == 1:
            return query.disjunction_max_query([query.term_query(self._schema, field, words[0]) for field in fields])
        return query.disjunction_max_query([query.phrase_query(self._schema, field, list(words)) for field in fields])

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
