"""Reads what a user asks for: words, names, and quoted phrases; and puts it as clauses, whichever index is asked.

And the conditions that every retriever applies before it ranks, and how LanceDB is told them, as SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Protocol

from aicx.errors import UsageError
from aicx.values import dataclass, regex
from retrieval.analysis import Terms, analyze, analyze_runs, in_any_language
from retrieval.params import RankingParams

_QUOTED = regex(r'"([^"\n]{1,500})"')
# A question is a few words. What goes beyond (a pasted log) is cut, and the answer says so.
MAX_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed question. ``runs`` are its terms, word by word and name by name; ``phrases`` its quoted parts.

    ``corrected`` has what was typed and what is searched for in its place.
    """

    text: str
    terms: Terms
    runs: tuple[Terms, ...] = ()
    phrases: tuple[str, ...] = ()
    shortened: bool = False
    corrected: tuple[tuple[str, str], ...] = ()

    @property
    def is_lookup(self) -> bool:
        """Whether it consists of names only: a path, a symbol, an error code. Such a thing is looked up."""
        return bool(self.runs) and all(run.names for run in self.runs)

    @property
    def empty(self) -> bool:
        """Whether nothing is left to look for: only stop words, punctuation or symbols."""
        return not self.terms.words and not self.terms.names


def parse_question(text: str) -> Question:
    """The question in ``text``. An unbalanced quote is a quote character, not an error."""
    shortened = len(text) > MAX_CHARS
    text = text[:MAX_CHARS]
    phrases = tuple(phrase.strip() for phrase in _QUOTED.findall(text) if phrase.strip())
    return _question(text, tuple(analyze_runs(text)), phrases, shortened=shortened)


def correct(question: Question, corrections: Mapping[str, str]) -> Question:
    """The question with other terms in place of what was typed: ``corrections`` has a stem or a whole name for each."""
    runs = tuple(corrected(run, corrections[run.typed]) if run.typed in corrections else run for run in question.runs)
    changed = _question(question.text, runs, question.phrases, shortened=question.shortened)
    return replace(changed, corrected=tuple(corrections.items()))


def widen(question: Question, unknown: Collection[str]) -> Question:
    """The question with the words of ``unknown``, as typed, in whichever language they may be."""
    runs = tuple(in_any_language(run) if run.typed in unknown else run for run in question.runs)
    return replace(question, runs=runs)


def _question(text: str, runs: tuple[Terms, ...], phrases: tuple[str, ...], *, shortened: bool) -> Question:
    words = [word for run in runs for word in run.words]
    names = [name for run in runs for name in run.names]
    return Question(text, Terms(words, names), runs, phrases, shortened)


def corrected(run: Terms, form: str) -> Terms:
    """A word or a name of a question in another form; without terms for a word that is never indexed."""
    if run.names:
        return Terms([], [form], typed=run.typed)
    return replace(next(iter(analyze_runs(form)), Terms()), typed=run.typed)


_PART_OF_NAME = 0.25


class Queries(Protocol):
    """How an index is asked. What the functions return is its own."""

    def term(self, field: str, term: str, worth: float) -> Any:
        """A term in a field, worth so much."""
        ...

    def phrase(self, field: str, words: Sequence[Any], worth: float) -> Any:
        """Words one after the other in a field."""
        ...

    def best_of(self, clauses: Sequence[Any]) -> Any:
        """One of the clauses: that by which a document scores most."""
        ...

    def any_of(self, clauses: Sequence[Any]) -> Any:
        """At least one of the clauses; the more the better."""
        ...

    def all_of(self, clauses: Sequence[Any], better: Sequence[Any] = ()) -> Any:
        """Every one of the clauses; ``better`` only count."""
        ...


class QuestionClauses:
    """Puts a question together. ``stands`` says whether a word or name is in any document as it is asked for."""

    def __init__(self, queries: Queries, rules: RankingParams, stands: Callable[[Terms], bool]) -> None:
        self._queries = queries
        self._rules = rules
        self._stands = stands

    def wanted(self, question: Question) -> Any:
        """The whole question; None where there is nothing to look for."""
        lookup = question.is_lookup
        clauses = [clause for run in question.runs for clause in self._clauses(run, lookup=lookup)]
        if not clauses:
            return None
        phrases = [self.side_by_side(words) for text in question.phrases if (words := analyze(text).words)]
        any_clause = self._queries.any_of(clauses)
        return self._queries.all_of(phrases, [any_clause]) if phrases else any_clause

    def side_by_side(self, words: Sequence[Any]) -> Any:
        """Words one after the other in any field of words; the field where they are worth most counts."""
        queries = self._queries
        fields = [field for field in self._rules.fields if not field.endswith("_names")]
        if len(words) == 1:
            return queries.best_of([queries.term(field, words[0], 1.0) for field in fields])
        return queries.best_of([queries.phrase(field, words, 1.0) for field in fields])

    def _clauses(self, run: Terms, *, lookup: bool) -> Iterator[Any]:
        """One word or name of a question, in every field. A term asked twice counts twice, as BM25 has it."""
        rules, queries = self._rules, self._queries
        as_one = rules.names_as_one and run.names and run.words
        share = 1.0 / len(run.words) if as_one else 1.0
        # Where a name occurs whole, its words apart are about something else.
        whole_only = rules.names_whole and run.is_compound and self._stands(run)
        for field, weight in rules.fields.items():
            if field.endswith("_names"):
                words = field.removesuffix("_names")
                for number, name in enumerate(run.names):
                    worth = weight
                    if lookup and rules.lookup_name:
                        # The whole name is what is looked for; its file name or last part is the next best.
                        worth = rules.lookup_name * (1.0 if number == 0 else _PART_OF_NAME)
                    clauses = [queries.term(field, name, worth)]
                    if number == 0:
                        clauses += (queries.term(words, form, worth) for form in run.others)
                    yield self._best(clauses)
            elif (lookup or whole_only) and rules.lookup_phrase and run.names and len(run.words) > 1:
                worth = rules.lookup_phrase if lookup else weight * share
                yield queries.phrase(field, run.words, worth)
        if whole_only and not lookup:
            return
        together = lookup and rules.lookup_all and len(run.words) > 1
        forms = () if run.names else run.others
        whole = run.whole if rules.words_as_names else ""
        anywhere = [list(self._anywhere(word, forms, share, whole)) for word in run.words]
        if together:
            yield queries.all_of([queries.any_of(clauses) for clauses in anywhere])
        else:
            yield from chain.from_iterable(anywhere)

    def _anywhere(self, word: str, forms: Sequence[str], share: float, whole: str = "") -> Iterator[Any]:
        """A word in each field of words; or in its place another form, or the name ``whole`` that it may be."""
        rules, queries = self._rules, self._queries
        for field, weight in rules.fields.items():
            if field.endswith("_names"):
                continue
            clauses = [queries.term(field, form, weight * share) for form in (word, *forms)]
            if whole and (worth := rules.fields.get(f"{field}_names")):
                clauses.append(queries.term(f"{field}_names", whole, worth))
            yield self._best(clauses)

    def _best(self, clauses: Sequence[Any]) -> Any:
        return self._queries.best_of(clauses) if len(clauses) > 1 else clauses[0]


Value = str | int


@dataclass(frozen=True, slots=True)
class OneOf:
    """``column`` has one of ``values``; with none, nothing matches."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """``column`` has none of ``values``; a document without the column matches."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """``low <= column <= high``, either end open when None; a document without the column does not match."""

    column: str
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of ``conditions`` holds."""

    conditions: tuple[OneOf | NoneOf | Between, ...]


Condition = OneOf | NoneOf | Between | AnyOf


def predicate(conditions: Sequence[Condition], columns: Collection[str]) -> str | None:
    """All of ``conditions`` as one SQL expression; None when there are none.

    ``columns`` are those that exist: a filter on another would otherwise match nothing and say nothing.
    """
    return " AND ".join(_sql(condition, columns) for condition in conditions) or None


def _sql(condition: Condition, columns: Collection[str]) -> str:
    if isinstance(condition, AnyOf):
        return f"({' OR '.join(_sql(one, columns) for one in condition.conditions) or 'false'})"
    if condition.column not in columns:
        raise UsageError(f"The vector index has no column {condition.column!r}.", hint="Run `aicx index --rebuild`.")
    column = f"`{condition.column}`"
    if isinstance(condition, OneOf):
        return f"{column} IN ({_list(condition.values)})" if condition.values else "false"
    if isinstance(condition, NoneOf):
        # A comparison with a missing value is neither true nor false, and here it is to match.
        return f"({column} IS NULL OR {column} NOT IN ({_list(condition.values)}))" if condition.values else "true"
    return _between(condition, column)


def _between(condition: Between, column: str) -> str:
    ends = [f"{column} IS NOT NULL"]
    if condition.low is not None:
        ends.append(f"{column} >= {int(condition.low)}")
    if condition.high is not None:
        ends.append(f"{column} <= {int(condition.high)}")
    return f"({' AND '.join(ends)})"


def _list(values: Sequence[Value]) -> str:
    return ", ".join(map(_literal, values))


def _literal(value: Value) -> str:
    """In standard SQL a quote is doubled and nothing else is special, the backslash included."""
    return str(int(value)) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
