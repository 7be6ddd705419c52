"""Finds the lines of a text that answer a question, and says how well the text fits it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.analysis import analyze, fold
from retrieval.questions import Question

# Every asked word, name and phrase is there; some of them; none, but it is near in meaning.
Tier = Literal["exact", "partial", "nearest"]

_LINE_LENGTH = 200
# How much of a text is shown from, or of a line analysed at once: a longer line counts as several.
_LOOKED_AT = 4000
_PIECE = re.compile(rf"(?s).{{1,{_LOOKED_AT}}}(?=\s|\Z)|.{{1,{_LOOKED_AT}}}")
# Shorter beginnings of words are in every line and would hold nothing off.
_FEWEST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text, shortened around what matched; ``marks`` are the spans to highlight in it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What a text has to say to a question, in the order of the text, and how well it fits.

    ``found`` of the ``asked`` words, names and phrases are in it.
    """

    lines: tuple[Line, ...]
    tier: Tier
    found: int = 0
    asked: int = 0


def excerpt(question: Question, texts: Sequence[str], header: str, limit: int) -> Excerpt:
    """The at most ``limit`` lines that share most with the question.

    ``header`` is context that counts for the fit and is not quoted.
    """
    words, names = set(question.terms.words), set(question.terms.names)
    if not words and not names:
        return Excerpt((), "exact")
    context = analyze(header)
    have_words, have_names = words.intersection(context.words), names.intersection(context.names)
    phrases = [fold(phrase) for phrase in question.phrases]
    have_phrases: set[str] = set()
    scored: list[tuple[float, int, str]] = []
    seen: set[str] = set()
    for number, line in _candidates(texts, words | names):
        terms = analyze(line)
        found, named = words.intersection(terms.words), names.intersection(terms.names)
        if not found and not named:
            continue
        have_words |= found
        have_names |= named
        phrased = [phrase for phrase in phrases if phrase in fold(line)]
        have_phrases.update(phrased)
        if line not in seen:
            seen.add(line)
            scored.append((len(found) + 2 * len(named) + 3 * len(phrased), number, line))
    best = sorted(scored, key=lambda item: (-item[0], item[1]))[:limit]
    lines = tuple(_mark(line, words | names) for _, _, line in sorted(best, key=lambda item: item[1]))
    asked = len(words) + len(names) + len(set(phrases))
    share = len(have_words) + len(have_names) + len(have_phrases)
    tier: Tier = "exact" if share == asked else "partial" if have_words or have_names else "nearest"
    return Excerpt(lines, tier, share, asked)


def opening_lines(texts: Sequence[str], start: tuple[int, int], limit: int) -> tuple[Line, ...]:
    """The first lines from a place on: which text, and the character in it."""
    number, character = start
    if number >= len(texts):
        return ()
    lines = (line.strip() for line in texts[number][character : character + _LOOKED_AT].splitlines())
    return tuple(_mark(line, set()) for line in [line for line in lines if len(line) >= 3][:limit])


def _candidates(texts: Sequence[str], terms: set[str]) -> Iterator[tuple[int, str]]:
    """The lines that may hold one of the terms, with their numbers; analysing every line would take long."""
    beginnings = {beginning for term in terms for beginning in _beginnings(term)}
    looked_for = re.compile("|".join(re.escape(text) for text in sorted(beginnings)))
    number = 0
    for text in texts:
        lines = text.splitlines()
        folded = fold(text).splitlines()
        same = len(folded) == len(lines)
        for at, line in enumerate(lines):
            number += 1
            if not looked_for.search(folded[at] if same else fold(line)):
                continue
            for piece in _PIECE.findall(line.strip()):
                yield number, piece.strip()


def _beginnings(term: str) -> tuple[str, ...]:
    """What a word begins with whose stem is ``term``: all but the last letter, which may be another in the word.

    So it is for ``try``, whose stem is ``tri``, and ``using``, whose stem is ``use``; ``dying`` has the stem ``die``.
    """
    if not term.isascii():
        return (term,)
    if term.endswith("ie"):
        return term[:-1], f"{term[:-2]}y"
    return (term[: max(_FEWEST_LETTERS - term.endswith(("e", "i")), len(term) - 1)],)


def _mark(line: str, terms: set[str]) -> Line:
    spans: list[tuple[int, int]] = []
    at = 0
    for run in line.split() if terms else ():
        start = line.index(run, at)
        at = start + len(run)
        found = analyze(run)
        if terms.intersection(found.words) or terms.intersection(found.names):
            spans.append((start, at))
    if len(line) <= _LINE_LENGTH:
        return Line(line, tuple(spans))
    first = spans[0][0] if spans else 0
    start = max(0, min(first - _LINE_LENGTH // 4, len(line) - _LINE_LENGTH))
    end = start + _LINE_LENGTH
    text = ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
    shift = start - (1 if start else 0)
    inside = ((low - shift, high - shift) for low, high in spans if start <= low and high <= end)
    return Line(text, tuple(inside))
