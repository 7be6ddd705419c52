"""Subjects of commits: what of one is its own words, and how near a text comes to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import ceil
from typing import NamedTuple, Self

from aicx.values import regex

_REQUEST = regex(r"\s*\(#\d+\)$")
# "fix(parser)!: " and the like.
_KIND = regex(r"^\w+(?:\([^()]*\))?!?:\s+")
_WORD = regex(r"[^\W_]+")
# The least that a text and a subject have in common (Dice's coefficient of their words) to be nearly the same; a
# subject of six words may lack one of them, or have one more and one less.
NEAR = 0.8
# With fewer words in common, only the same words are near.
_MIN_WORDS = 3
_MAX_LEN = 200
_ASKS = regex(
    r"\W*(?:how|what|why|when|where|which|whose|who|did|does|is|are|was|were|can|could|should|would)\b", re.IGNORECASE
)


def plain_subject(subject: str) -> str:
    """A subject without the number of the request that a forge adds, folded."""
    return " ".join(_REQUEST.sub("", subject).split()).casefold()


def may_be_subject(text: str) -> bool:
    """Whether ``text`` has the form of a commit's subject, rather than that of a question or a single word."""
    return len(text) <= _MAX_LEN and not text.rstrip().endswith("?") and not _ASKS.match(text) and len(text.split()) > 1


class Subject(NamedTuple):
    """The words of a subject: ``whole``, and ``bare`` without what kind of change it is."""

    whole: frozenset[str]
    bare: frozenset[str]

    @classmethod
    @lru_cache(1024)  # one is compared with many
    def of(cls, text: str) -> Self:
        plain = plain_subject(text)
        return cls(frozenset(_WORD.findall(plain)), frozenset(_WORD.findall(_KIND.sub("", plain))))

    def nearness(self, other: Subject) -> float:
        """From `NEAR` to 1 where both are nearly the same, else 0."""
        return max(_nearness(self.whole, other.whole), _nearness(self.bare, other.bare))

    def telling(self) -> list[str]:
        """As many of the words, the longest first, as every near subject has at least one of."""
        # Near subjects have at least NEAR / (2 - NEAR) of the words in common.
        most_missing = len(self.bare) - ceil(len(self.bare) * NEAR / (2 - NEAR)) + len(self.whole - self.bare)
        return sorted(self.bare, key=lambda word: (-len(word), word))[: most_missing + 1]


def near_lines(listed: str, text: str) -> Iterator[tuple[str, float]]:
    """The first words of those lines, ``WORD SUBJECT`` each, whose subject is nearly ``text``, and how near it is.

    Only lines with a telling word are taken apart: of a long list that is a small part.
    """
    asked, folded = Subject.of(text), listed.casefold()
    met: set[int] = set()
    for word in asked.telling():
        place = folded.find(word)
        while place >= 0:
            begin, end = folded.rfind("\n", 0, place) + 1, folded.find("\n", place)
            end = len(folded) if end < 0 else end
            if begin not in met:
                met.add(begin)
                name, _, subject = folded[begin:end].partition(" ")
                if nearness := asked.nearness(Subject.of(subject)):
                    yield name, nearness
            place = folded.find(word, end)


def _nearness(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    shared = 2 * common / (len(one) + len(other)) if common else 0.0
    return shared if shared >= NEAR and common >= (2 if shared == 1 else _MIN_WORDS) else 0.0
