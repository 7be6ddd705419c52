"""Ranks documents by BM25 over their fields, in a tantivy index, which is opened also where nothing can be written."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged, NotFound
from aicx.types import Candidate
from aicx.values import regex
from retrieval.analysis import Terms, analyze_runs
from retrieval.evidence import Occurrences, rarity, units_of, units_of_run
from retrieval.languages import SHORTEST, made_of, slips
from retrieval.params import DEFAULT_PARAMS, RankingParams
from retrieval.questions import AnyOf, Between, Condition, NoneOf, OneOf, Question, QuestionClauses, corrected

# BM25's k1 + 1 with tantivy's k1: what a term that is all of a text counts, times how rare it is.
_SATURATION = 2.2
# The fields of what a document is made of; its header says where that belongs.
_TEXT = ("said", "thought", "tool")
_WORDS_OF_A_SENTENCE = 5
_MAX_REASON_LENGTH = 200
_MAX_TYPED = 12
_MAX_MEANT = 5
# Of how many other words of the question, the rarest, what was meant has to occur with one.
_COMPANY = 2
# Numbers are meant as they are typed, and so is what is put together with signs.
_LETTERS = regex("[a-z]+")
# Ids of documents, and counts of words, that are remembered: some 5 MB.
_MAX_IDS, _MAX_COUNTS = 20_000, 5_000


class LexicalSearcher:
    """An open BM25 index, as it was when it was opened."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._tantivy = tantivy
        self._folder = folder
        # What only a search finds damaged looks whole to whoever opens it, so it has to be taken away.
        self._take_away = f"rm -r {shlex.quote(str(folder))}, then aicx store, which makes it anew; nothing is lost"
        if not (folder / "meta.json").exists():
            raise NotFound(f"there is no lexical index in {folder}", hint="aicx store")
        with self._reading("aicx store"):
            self._index = open_index(folder)
            self._searcher = self._index.searcher()
            self._schema = self._index.schema
        self._frequency = lru_cache(_MAX_COUNTS)(self._counted)
        self._queries = _TantivyQueries(tantivy, self._schema, self._frequency)
        self._ids: dict[tuple[int, int], str] = {}
        self._counts: dict[Hashable, int] = {}

    @property
    def size(self) -> int:
        """How many documents are indexed."""
        return int(self._searcher.num_docs)

    def search(
        self,
        question: Question,
        where: Sequence[Condition],
        limit: int,
        rules: RankingParams = DEFAULT_PARAMS,
        among: Collection[str] = (),
    ) -> list[Candidate]:
        """The best documents among those that fulfil every condition, best first; of ``among``, where that names any.

        A document matches when it shares a single term; a quoted phrase must occur. Ties come in the order of ids.
        """
        # What tantivy refuses in a question says nothing of the index, so it is put together outside `_reading`.
        wanted = self._clauses(rules).wanted(question)
        if wanted is None:
            return []
        named = self._clauses_of([OneOf("id", tuple(sorted(among)))]) if among else ()
        filters = *self._filters(where), *named
        query = self._tantivy.Query.boolean_query([(self._tantivy.Occur.Must, wanted), *filters]) if filters else wanted
        with self._reading(self._take_away):
            found = self._searcher.search(query, limit, count=False).hits
            hits = [Candidate(self._id(address), score) for score, address in found]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))

    def _id(self, address: Any) -> str:
        """The id of a document, which is read from the index once: reading it takes longer than ranking it."""
        key = address.segment_ord, address.doc
        if key not in self._ids:
            if len(self._ids) >= _MAX_IDS:
                self._ids.clear()
            self._ids[key] = self._searcher.doc(address)["id"][0]
        return self._ids[key]

    @contextmanager
    def _reading(self, hint: str) -> Iterator[None]:
        """Raises CorpusDamaged for tantivy's errors about files that are not what they should be."""
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
        clauses = [(self._tantivy.Occur.Must, self._clauses(rules).side_by_side(words)), *self._filters(where)]
        with self._reading(self._take_away):
            return bool(self._searcher.search(self._tantivy.Query.boolean_query(clauses), 1, count=False).hits)

    def occurrences(
        self, question: Question, where: Sequence[Condition], rules: RankingParams = DEFAULT_PARAMS
    ) -> Occurrences:
        """How many of the documents that fulfil every condition have each word and name of a question.

        A name is there whole, as the word it is without capitals, or with its words side by side.
        """
        units = units_of(question)
        filters = self._filters(where)
        within = (*rules.fields,), (*where,) if filters else ()
        with self._reading(self._take_away):
            counts = tuple(
                self._known(
                    (*unit.words, None, *unit.names, None, *unit.others, unit.whole, within),
                    partial(self._unit, unit, rules),
                    filters,
                )
                for unit in units
            )
        return Occurrences(units, counts, self._fulfilling(where))

    def _known(self, what: Hashable, query: Callable[[], Any], filters: Sequence[Any]) -> int:
        """`_count`, made once: a common word takes as long to count as a question to rank, and comes again."""
        if what not in self._counts:
            if len(self._counts) >= _MAX_COUNTS:
                self._counts.clear()
            self._counts[what] = self._count(query(), filters)
        return self._counts[what]

    def scores(
        self, question: Question, where: Sequence[Condition], documents: Collection[str], rules: RankingParams
    ) -> list[Candidate]:
        """Those of ``documents`` that match, with their scores."""
        return self.search(question, where, len(documents), rules, among=documents) if documents else []

    def best_possible(self, question: Question, rules: RankingParams = DEFAULT_PARAMS) -> float:
        """About the score of a document that has nothing but the question in every field of its text.

        A word counts in the fields in which it occurs at all, by its weight there and how rare it is there.
        """
        with self._reading(self._take_away):
            counts = [
                (weight, max((self._frequency(field, word) for word in (*unit.words, *unit.others)), default=0))
                for run in question.runs
                for unit in units_of_run(run)
                for field, weight in rules.fields.items()
                if field in _TEXT
            ]
        return _SATURATION * sum(weight * rarity(count, self.size) for weight, count in counts if count)

    def _counted(self, field: str, term: str) -> int:
        """In how many documents' field a term is, those that were removed since included."""
        with self._reading(self._take_away):
            return int(self._searcher.doc_freq(field, term))

    def _count(self, query: Any, filters: Sequence[Any] = ()) -> int:
        both = self._tantivy.Query.boolean_query([(self._tantivy.Occur.Must, query), *filters])
        unscored = self._tantivy.Query.const_score_query(both, 0.0)
        return int(self._searcher.search(unscored, 1, count=True).count or 0)

    def _unit(self, unit: Terms, rules: RankingParams) -> Any:
        """A word or name of a question, in whichever form it may occur."""
        query, fields = self._tantivy.Query, rules.fields
        names = [name for name in (*unit.names, unit.whole) if name]
        words = [*unit.others, *(unit.words if len(unit.words) == 1 and not unit.names else ())]
        forms = [query.term_query(self._schema, f, name) for f in fields if f.endswith("_names") for name in names]
        forms += [query.term_query(self._schema, f, word) for f in fields if not f.endswith("_names") for word in words]
        if len(unit.words) > 1:
            forms.append(self._clauses(rules).side_by_side(unit.words))
        return query.boolean_query([(self._tantivy.Occur.Should, form) for form in forms])

    def unknown(self, question: Question, rules: RankingParams = DEFAULT_PARAMS) -> list[str]:
        """The words and names of a question, as typed, that stand in no document as a question in English has them."""
        with self._reading(self._take_away):
            return [run.typed for run in question.runs if not self._stands(run, rules)]

    def misspelt(self, question: Question, rules: RankingParams = DEFAULT_PARAMS) -> dict[str, str]:
        """The words and names of a question, as typed, that stand in no document, and the one that each was meant for.

        That is in use: with another word of the question, where one occurs. What is quoted is meant as it is, what is
        made of a known word is a word, and a long question is pasted.
        """
        if len(question.runs) > _MAX_TYPED:
            return {}
        quoted = {run.typed for phrase in question.phrases for run in analyze_runs(phrase)}
        with self._reading(self._take_away):
            unknown = {
                run.typed: run for run in question.runs if run.typed not in quoted and not self._stands(run, rules)
            }
            company = [run for run in question.runs if run.typed not in unknown]
            meant = {typed: self._meant(run, company, rules) for typed, run in unknown.items()}
        return {typed: form for typed, form in meant.items() if form}

    def _meant(self, unknown: Terms, company: Sequence[Terms], rules: RankingParams) -> str | None:
        """The word or name in use that is one slip away from one that occurs nowhere; the commonest by equal slips."""
        name = unknown.whole or next(iter(unknown.names), "")
        if not _LETTERS.fullmatch(name) or any(self._used(form, unknown, rules) for form in made_of(name)):
            return None
        beside = [self._unit(run, rules) for run in company]
        rarest = sorted(beside, key=self._count)[:_COMPANY]
        for likely in slips(name):
            used = {form: count for form in likely if (count := self._used(form, unknown, rules))}
            for form in sorted(used, key=lambda form: (-used[form], form))[:_MAX_MEANT]:
                unit = self._unit(corrected(unknown, form), rules)
                if not rarest or any(self._count(unit, [(self._tantivy.Occur.Must, other)]) for other in rarest):
                    return form
        return None

    def _used(self, form: str, unknown: Terms, rules: RankingParams) -> int:
        """About how many documents have what may have been meant."""
        meant = corrected(unknown, form)
        if any(len(term) < SHORTEST for term in (*meant.words, *meant.names)):
            return 0
        return sum(
            self._frequency(field, term)
            for field in rules.fields
            for term in (meant.names if field.endswith("_names") else meant.words)
        )

    def _stands(self, run: Terms, rules: RankingParams) -> bool:
        """Whether some document has a word of a question, or one of its names whole."""
        if any(self._occurs(name, rules, names=True) for name in (*run.names, run.whole) if name):
            return True
        words = (*run.others, *(() if run.names else run.words))
        return not (words or run.names) or any(self._occurs(word, rules) for word in words)

    def _occurs(self, term: str, rules: RankingParams, *, names: bool = False) -> bool:
        return any(self._frequency(field, term) for field in rules.fields if field.endswith("_names") == names)

    def _clauses(self, rules: RankingParams) -> QuestionClauses:
        return QuestionClauses(self._queries, rules, lambda run: self._stands(run, rules))

    def _filters(self, where: Sequence[Condition]) -> list[Any]:
        """Conditions as clauses that decide and do not score; none where every document fulfils them."""
        return self._clauses_of(where) if self._fulfilling(where) < self.size else []

    def _fulfilling(self, where: Sequence[Condition]) -> int:
        """How many documents fulfil every condition."""
        if not where:
            return self.size
        with self._reading(self._take_away):
            return self._known((*where,), self._tantivy.Query.all_query, self._clauses_of(where))

    def _clauses_of(self, where: Sequence[Condition]) -> list[Any]:
        """What none may have excludes, for all others are many."""
        occur, scoreless = self._tantivy.Occur, self._tantivy.Query.const_score_query
        clauses = [
            (occur.MustNot, OneOf(one.column, one.values)) if isinstance(one, NoneOf) else (occur.Must, one)
            for one in where
        ]
        return [(kind, scoreless(self._condition(one), 0.0)) for kind, one in clauses]

    def _condition(self, condition: Condition) -> Any:
        query, occur = self._tantivy.Query, self._tantivy.Occur
        match condition:
            case OneOf(column, (str(value),)):  # the documents of one value are gone through as far as needed
                return query.term_query(self._schema, _field(column), value, "basic")
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


class _TantivyQueries:
    """Clauses of a question as tantivy's queries, without those that no document can match: each costs time at all."""

    def __init__(self, tantivy: Any, schema: Any, frequency: Callable[[str, str], int]) -> None:
        self._query, self._occur, self._schema, self._frequency = tantivy.Query, tantivy.Occur, schema, frequency
        self._nothing = tantivy.Query.empty_query()

    def term(self, field: str, term: str, worth: float) -> Any:
        query = self._query.term_query(self._schema, field, term, "freq")  # refuses what is no text
        return self._query.boost_query(query, worth) if self._frequency(field, term) else self._nothing

    def phrase(self, field: str, words: Sequence[Any], worth: float) -> Any:
        return self._query.boost_query(self._query.phrase_query(self._schema, field, list(words)), worth)

    def best_of(self, clauses: Sequence[Any]) -> Any:
        clauses = self._likely(clauses)
        return clauses[0] if len(clauses) == 1 else self._query.disjunction_max_query(clauses)

    def any_of(self, clauses: Sequence[Any]) -> Any:
        return self._query.boolean_query([(self._occur.Should, clause) for clause in self._likely(clauses)])

    def all_of(self, clauses: Sequence[Any], better: Sequence[Any] = ()) -> Any:
        must = [(self._occur.Must, clause) for clause in clauses]
        return self._query.boolean_query([*must, *((self._occur.Should, clause) for clause in better)])

    def _likely(self, clauses: Sequence[Any]) -> list[Any]:
        return [clause for clause in clauses if clause is not self._nothing]


def _field(column: str) -> str:
    return "id" if column == "id" else f"c_{column}"


_TRIES = 3


def open_index(folder: Path) -> Any:
    """The index in ``folder``, as it is now.

    tantivy locks a file in the folder while it opens the index, which on read-only media, or in a home of somebody
    else, it cannot. There it is shown a private folder of links instead, with a lock that nobody else takes.
    Raises ValueError or OSError for an index that is damaged, CorpusDamaged where there is no place for that folder.
    """
    import tantivy

    try:
        return tantivy.Index.open(str(folder))
    except ValueError as error:
        if "Lockfile" not in str(error):
            raise
    while True:
        before = _commit(folder)
        try:
            return _open_through_links(folder)
        except ValueError:
            # Without the lock a writer may have replaced files that this commit has.
            if _commit(folder) == before:
                raise


def _commit(folder: Path) -> bytes:
    return (folder / "meta.json").read_bytes()


def _open_through_links(folder: Path) -> Any:
    import tantivy

    with _private_folder(folder) as links:
        for name in os.listdir(folder):
            if not name.endswith(".lock"):
                (links / name).symlink_to(folder.absolute() / name)
        return tantivy.Index.open(str(links))


@contextmanager
def _private_folder(index: Path) -> Iterator[Path]:
    from tempfile import mkdtemp

    try:
        folder = Path(mkdtemp(prefix="aicx-index-"))
    except OSError as error:
        raise CorpusDamaged(
            f"the lexical index in {index} cannot be opened, for neither it nor a temporary folder can be written:"
            f" {error.strerror or error}",
            hint="set TMPDIR to a folder that can be written",
        ) from error
    try:
        yield folder
    finally:
        # An open index keeps its files open, so the links may go at once. A thread of tantivy's looks for a newer
        # commit right after opening, and may leave its lock while they do.
        for _ in range(_TRIES):
            with suppress(OSError):
                from shutil import rmtree  # imported here: a question removes nothing

                rmtree(folder)
                break
