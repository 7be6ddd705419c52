"""Ranks files, and the best symbol in each, for a query: the query-time half of the relevance formula.

A question is analysed as files are: its words, stemmed, and its identifiers and paths whole. A term that ``df`` of
``N`` files have is worth ``idf = ln(1 + (N - df + 0.5) / (df + 0.5))``; its share is that divided by the sum over the
question. With ``impact`` as `terms` describes it,

    file   = sum of share * impact                 over the question's terms
    symbol = covered ** 2 * (1 + fit) / 2          for the symbol where that is most

where ``covered`` is the sum of the shares of the terms the symbol's name has, and ``fit`` the part of its words among
them. The square makes one name with two words of the question more than two names with one. Both lie between 0
and 1, and

    score  = role * near * (file + symbol) / 2

``role`` is 1 for code and less for tests, documents, examples and vendored code, unless the question is about tests;
``near`` is more than 1 for files the caller named, and for their neighbours. The symbol's part does not know how large
its file is: so a file with thousands of symbols is found by the one that is meant, and not by the sum of the others.

A test describes in words what its code is for, so it may match better than the code. A tested file that matches half as
well as its test gets the test's score and stands before it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import log
from operator import itemgetter
from pathlib import PurePosixPath
from typing import Annotated, Protocol

from aicx.repomap.kinds import WEIGHTS, Role, asks_for_tests, role_of, stem_tested_by
from aicx.repomap.store import StoredFile
from aicx.repomap.symbols import CodeSymbol
from aicx.repomap.terms import NAME, Field, fields_in, impact_in, role_in, terms_in
from aicx.values import dataclass

# A question is a few words. Of a pasted page, the rarest terms say what it is about.
_MAX_QUESTION_LENGTH = 4000
_MAX_TERMS = 32
# Postings read in full. Terms that come after so many are common, and only order what the rarer ones found.
_MAX_POSTINGS = 40_000
_POOL = 150
# What the caller named is likely meant, its neighbours a little.
_NAMED, _BESIDE_NAMED = 1.5, 1.15
# What only a function sees is rarely looked for, and values less than what works with them. What is declared here is
# defined elsewhere.
_LOCAL, _VALUE, _DECLARED = 0.6, 0.7, 0.8
_KINDS = {"declaration": _DECLARED, "variable": _VALUE, "constant": _VALUE, "field": _VALUE, "property": _VALUE}
# The share of its test's score that a file needs to take its place; and what is just enough to stand behind.
_MATCHES_LIKE_TEST, _AFTER_TESTED = 0.5, 0.999
_VERBS = {
    Field.path: "path has",
    Field.symbol: "other symbols have",
    Field.heading: "headings have",
    Field.notes: "comments have",
    Field.imports: "imports",
}
# A word inside a path or an identifier.
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PUNCTUATION = ".,;:!?()[]{}<>\"'`"


class MapIndex(Protocol):
    """The index that ranking needs: `store.MapStore`, or what `fallback` puts in its place."""

    def size(self) -> int: ...
    def frequency(self, term: str) -> int: ...
    def postings(self, term: str) -> Mapping[int, int]: ...
    def files(self, ids: Sequence[int]) -> dict[int, StoredFile]: ...


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Where to look first: a file, and what in it fits best."""

    path: Annotated[str, "of the file"]
    line: Annotated[int | None, "where it begins; null for a file"]
    symbol: Annotated[str | None, "its name; null for a file"]
    kind: Annotated[str, "the symbol's (function, class, heading...), or `file`"]
    score: Annotated[float, "0 to 1"]
    reasons: tuple[str, ...]


def rank(index: MapIndex, text: str, limit: int, boost_paths: Iterable[str] = ()) -> list[EntryPoint]:
    """The best files for a question, best first, each once. Empty for a question without words."""
    question = _Question(index, text[:_MAX_QUESTION_LENGTH])
    about_tests = asks_for_tests(text)
    pool = _pool(index, question, {**WEIGHTS, Role.test: 1.0} if about_tests else WEIGHTS)
    near = _Nearness(boost_paths)
    for number, file in index.files(list(pool)).items():
        pool[number].complete(file, question, near)
    found = {match.path: match for match in pool.values()}
    if not about_tests:
        _put_tested_before_tests(found)
    ranked = sorted(found.values(), key=lambda match: (-match.score, match.path))
    return [match.entry(question) for match in ranked[:limit]]


class _Question:
    """Each term with its share of what the question is worth, together 1; and the word it was written as."""

    def __init__(self, index: MapIndex, text: str) -> None:
        words = dict.fromkeys(terms_in(text), "")
        for word in text.split():
            for written in (*_PIECE.findall(word), word.strip(_PUNCTUATION)):
                words.update((term, written) for term in terms_in(written) if words.get(term) == "")
        size = index.size()
        frequencies = {term: index.frequency(term) for term in words}
        worth = {
            term: log(1 + max(0.0, size - frequency + 0.5) / (frequency + 0.5))
            for term, frequency in frequencies.items()
            # A name that occurs nowhere is no part of the question: the words it is made of are there as well.
            if frequency or not term.startswith(NAME)
        }
        # What occurs nowhere lowers the score of an incomplete answer, and never takes the place of what can be found.
        kept = sorted(worth, key=lambda term: (frequencies[term] == 0, -worth[term], term))[:_MAX_TERMS]
        total = sum(worth[term] for term in kept) or 1.0
        self.shares = {term: worth[term] / total for term in kept}
        self.words = words

    def written(self, terms: Iterable[str]) -> str:
        """Some terms as they were written and in that order, for a person to read."""
        wanted = set(terms)
        return " ".join(dict.fromkeys(word or term for term, word in self.words.items() if term in wanted))


@dataclass(slots=True)
class _Match:
    """The match of one file with the question: where each term occurs in it, and what its score comes from."""

    score: float = 0.0
    weight: float = 1.0
    fields: dict[str, int] = field(default_factory=dict)
    path: str = ""
    best: CodeSymbol | None = None
    covered: frozenset[str] = frozenset()
    remarks: list[str] = field(default_factory=list)

    def complete(self, file: StoredFile, question: _Question, near: _Nearness) -> None:
        """Makes the score of what the file holds the whole score."""
        self.path = file.path
        self.best, fit, self.covered = _best_symbol(file.symbols, question)
        factor, why = near.of(file.path)
        self.remarks += [why] if why else []
        self.score = self.weight * factor * (self.score + fit) / 2

    def entry(self, question: _Question) -> EntryPoint:
        reasons = [f"{self.best.kind} has {question.written(self.covered)}"] if self.best else []
        for flag, verb in _VERBS.items():
            terms = [term for term, flags in self.fields.items() if flags & flag]
            if flag is not Field.path:
                terms = [term for term in terms if term not in self.covered]
            if terms:
                reasons.append(f"{verb} {question.written(terms)}")
        return EntryPoint(
            path=self.path,
            line=self.best.line if self.best else None,
            symbol=self.best.qualified if self.best else None,
            kind=self.best.kind if self.best else "file",
            score=round(min(1.0, self.score), 4),
            reasons=(*reasons, *self.remarks),
        )


def _pool(index: MapIndex, question: _Question, weights: Mapping[int, float]) -> dict[int, _Match]:
    """The files that have most of the question, rare terms first."""
    scores: dict[int, float] = {}
    candidates: list[int] = []  # once the common terms begin
    held: dict[str, Mapping[int, int]] = {}
    read = 0
    for term, share in question.shares.items():
        values = held[term] = index.postings(term)
        if read > _MAX_POSTINGS and not candidates:
            candidates = _highest(scores, 4 * _POOL)
        # What a value adds to the score. Few values are different, and most of them come again and again.
        worth: dict[int, float] = {}
        for file in candidates or values:
            value = values.get(file, 0)
            if value not in worth:
                worth[value] = weights[role_in(value)] * share * impact_in(value)
            scores[file] = scores.get(file, 0.0) + worth[value]
        read += len(values)
    pool = {file: _Match() for file in _highest(scores, _POOL)}
    for term, values in held.items():
        for file in pool.keys() & values.keys():
            match, value = pool[file], values[file]
            match.score += question.shares[term] * impact_in(value)
            match.weight = weights[role_in(value)]
            match.fields[term] = fields_in(value)
    return pool


def _highest(scores: Mapping[int, float], count: int) -> list[int]:
    """The files with the highest scores; of equal ones, those found first."""
    return [file for file, _ in sorted(scores.items(), key=itemgetter(1), reverse=True)[:count]]


class _Nearness:
    """How near a file is to those the caller named."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._folders = frozenset(path.rpartition("/")[0] for path in self._paths)

    def of(self, path: str) -> tuple[float, str | None]:
        """The factor, and the reason for it."""
        if path in self._paths:
            return _NAMED, "among the given files"
        folder = path.rpartition("/")[0]
        return (_BESIDE_NAMED, "beside a given file") if folder and folder in self._folders else (1.0, None)


def _best_symbol(symbols: Iterable[CodeSymbol], question: _Question) -> tuple[CodeSymbol | None, float, frozenset[str]]:
    """The symbol that answers most of the question with the fewest other words, how well it does, and what it has."""
    best: CodeSymbol | None = None
    highest, covered = 0.0, frozenset[str]()
    for symbol in symbols:
        words = set(symbol.words.split())
        has = question.shares.keys() & words
        if not has:
            continue
        fit = len(has) / len(words)
        if (name := NAME + symbol.name.lower()) in question.shares:
            has.add(name)
        score = sum(question.shares[term] for term in has) ** 2 * (1 + fit) / 2
        score *= _LOCAL if symbol.local else _KINDS.get(symbol.kind, 1.0)
        if score > highest:
            best, highest, covered = symbol, score, frozenset(has)
    return best, highest, covered


def _put_tested_before_tests(found: Mapping[str, _Match]) -> None:
    """Lets a file that matches like its test stand before it."""
    by_stem: dict[str, list[str]] = defaultdict(list)
    for path in found:
        if role_of(path, None) is Role.code:
            by_stem[PurePosixPath(path).stem.lower()].append(path)
    for path, test in found.items():
        candidates = by_stem.get(stem_tested_by(path) or "", [])
        if not candidates:
            continue
        folders = set(path.split("/"))
        tested = found[max(candidates, key=lambda other: (len(folders & set(other.split("/"))), found[other].score))]
        if test.score * _MATCHES_LIKE_TEST <= tested.score <= test.score:
            tested.score, test.score = test.score, test.score * _AFTER_TESTED
            tested.remarks.append(f"tested by {path}")
