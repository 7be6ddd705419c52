"""Whether two statements say the same, by their words alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from aicx.evidence.texts import words
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS

# The share of words that two statements have in common that say the same.
_SAME = 0.8
# Of a statement the words by which others are looked up that may say the same.
_LOOKED_UP = 3
# How many of those are compared: a word that hundreds share tells them apart no longer.
_COMPARED = 100
_CODE = re.compile(r"`[^`]*`")
# One of these more or less turns a statement around.
NEGATIONS = frozenset({"always", "don't", "never", "no", "not", "only", "without"})


class HasStatement(Protocol):
    """Something that states: a proposal, a record."""

    @property
    def statement(self) -> str: ...
    @property
    def claims(self) -> Mapping[str, str]: ...
    @property
    def kind(self) -> str: ...
    @property
    def repository(self) -> str | None: ...


One = TypeVar("One", bound=HasStatement)


@dataclass(slots=True)
class Statements(Generic[One]):
    """Statements by their rarest words, so that one is compared with few."""

    found: list[One] = field(default_factory=list)
    _words: list[_Words] = field(default_factory=list)
    _places: dict[tuple[str | None, str, str], list[int]] = field(default_factory=dict)
    _last: tuple[HasStatement, _Words] | None = None  # what is looked for is often added next

    def place_of(self, other: HasStatement) -> int | None:
        """The place in ``found`` of the first that says the same, of the same kind and repository."""
        said = self._words_of(other)
        keys = _keys(other, said)
        near = dict.fromkeys(place for key in keys for place in self._places.get(key, ())[-_COMPARED:])
        return next((place for place in near if self._words[place].same(said)), None)

    def add(self, one: One) -> None:
        said = self._words_of(one)
        for key in _keys(one, said):
            self._places.setdefault(key, []).append(len(self.found))
        self.found.append(one)
        self._words.append(said)

    def _words_of(self, one: HasStatement) -> _Words:
        if self._last is None or self._last[0] is not one:
            self._last = one, _Words.of(one)
        return self._last[1]


@dataclass(frozen=True, slots=True)
class _Words:
    """The parts of a statement that are compared: its words, each once, its code and its claims."""

    order: Sequence[str]
    every: frozenset[str]
    telling: frozenset[str]
    code: Sequence[str]
    claims: Mapping[str, str]

    @classmethod
    def of(cls, said: HasStatement) -> _Words:
        return cls(*_words_of(said.statement), dict(said.claims))

    def same(self, other: _Words) -> bool:
        common = self.every & other.every
        if len(common) < _SAME * len(self.every | other.every) or self.claims != other.claims:
            return False
        if self.code != other.code or self.every & NEGATIONS != other.every & NEGATIONS:
            return False
        if self.telling - other.every and other.telling - self.every:  # one has another word in the place of a word
            return False
        # "use X, not Y" and "use Y, not X" have the same words.
        return [word for word in self.order if word in common] == [word for word in other.order if word in common]


@lru_cache(maxsize=1024)
def _words_of(statement: str) -> tuple[Sequence[str], frozenset[str], frozenset[str], Sequence[str]]:
    order = list(dict.fromkeys(words(statement)))
    every = frozenset(order)
    return order, every, every - STOP_WORDS, _CODE.findall(statement)


def _keys(one: HasStatement, said: _Words) -> Iterator[tuple[str | None, str, str]]:
    """Of its words the longest: the rarest, as far as one can tell without counting."""
    longest = sorted(said.every, key=lambda word: (-len(word), word))[:_LOOKED_UP]
    return ((one.repository, one.kind, word) for word in longest)
