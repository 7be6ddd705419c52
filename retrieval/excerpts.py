"""Finds the lines of a text that answer a question, and rates how well the text matches."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.analysis import analyze, fold, runs_in
from retrieval.questions import Question

# Every asked word, name and phrase is there; some of them; none, but it is near in meaning.
Tier = Literal["exact", "partial", "nearest"]

_LINE_LENGTH = 200
# How many lines of a text are analysed for the best of them, and how many more for each term not found yet.
_MAX_ANALYSED = 6
_MAX_TRIES = 20
# Letters and digits beyond ASCII, and marks on letters.
_ACCENTED = re.compile(r"[^\W\x00-\x7f]|[\u0300-\u036f]")
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


def excerpt(
    question: Question, texts: Sequence[str], header: str, limit: int, tool_text_indexes: Collection[int] = ()
) -> Excerpt:
    """The at most ``limit`` lines that share most with the question.

    ``header`` is context that counts for the fit and is not quoted. ``asides`` are places in ``texts``: of lines that
    share as much, theirs are quoted last.
    """
    words, names = set(question.terms.words), set(question.terms.names)
    if not words and not names:
        return Excerpt((), "exact")
    # A plain word is looked for as its stem; where it stands as a name, it was found as well.
    names.update(run.whole for run in question.runs if run.whole)
    words.update(other for run in question.runs for other in run.others)
    context = analyze(header)
    have_words, have_names = words.intersection(context.words), names.intersection(context.names)
    phrases = [fold(phrase) for phrase in question.phrases]
    have_phrases: set[str] = set()
    scored: list[tuple[float, _Piece]] = []
    seen: set[str] = set()
    beginnings = {term: starts_of(term) for term in (*words, *question.terms.names)}
    tries = dict.fromkeys(beginnings, 0)
    looked_for = _any_of({text for found in beginnings.values() for text in found})
    for rank, piece in enumerate(_pieces(texts, looked_for, tool_text_indexes)):
        # The best are analysed for their own sake, others only where they may hold a term that is still missing.
        missing = [
            term
            for term in tries
            if term not in have_words and term not in have_names and tries[term] < _MAX_TRIES
            if piece.beginnings.intersection(beginnings[term])
        ]
        if rank >= _MAX_ANALYSED and not missing:
            continue
        for term in missing:
            tries[term] += 1
        terms = analyze(piece.text)
        found, named = words.intersection(terms.words), names.intersection(terms.names)
        if not found and not named:
            continue
        have_words |= found
        have_names |= named
        phrased = [phrase for phrase in phrases if phrase in fold(piece.text)]
        have_phrases.update(phrased)
        if piece.text not in seen:
            seen.add(piece.text)
            scored.append((len(found) + 2 * len(named) + 3 * len(phrased), piece))
    best = sorted(scored, key=lambda item: (-item[0], item[1].aside, item[1].number))[:limit]
    quoted = sorted((piece for _, piece in best), key=lambda piece: piece.number)
    lines = tuple(_mark(piece.text, words | names, looked_for) for piece in quoted)
    # A name counts once, not with the words it splits into as well.
    runs = {(frozenset(run.words), frozenset(run.names), run.whole, run.others) for run in question.runs}
    asked = len(runs) + len(set(phrases))
    share = sum(
        not have_words.isdisjoint(others)
        or (bool(given & have_names) if given else parts <= have_words)
        or whole in have_names
        for parts, given, whole, others in runs
    )
    share += len(have_phrases)
    tier: Tier = "exact" if share == asked else "partial" if have_words or have_names else "nearest"
    return Excerpt(lines, tier, share, asked)


def opening_lines(texts: Sequence[str], start: tuple[int, int], limit: int) -> tuple[Line, ...]:
    """The first lines from a place on: which text, and the character in it."""
    number, character = start
    if number >= len(texts):
        return ()
    lines = (line.strip() for line in texts[number][character : character + _LOOKED_AT].splitlines())
    return tuple(_mark(line) for line in [line for line in lines if len(line) >= 3][:limit])


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a line, with what of the question begins in it."""

    number: int  # of its line
    text: str
    beginnings: frozenset[str]  # of the words looked for, as far as they occur
    aside: bool


def _any_of(beginnings: set[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(text) for text in sorted(beginnings, key=lambda text: (-len(text), text))))


def _pieces(texts: Sequence[str], looked_for: re.Pattern[str], tool_text_indexes: Collection[int]) -> list[_Piece]:
    """The lines that may hold a term, those first that may hold most; analysing every line would take long."""
    pieces: list[_Piece] = []
    number = 0
    for place, text in enumerate(texts):
        aside = place in tool_text_indexes
        lines = text.splitlines()
        folded = lowered(text).splitlines()
        if len(folded) != len(lines):  # a letter became a line break, or the other way round
            folded = [lowered(line) for line in lines]
        for line, low in zip(lines, folded, strict=True):
            number += 1
            found = looked_for.findall(low)
            if found and len(line) <= _LOOKED_AT:
                pieces.append(_Piece(number, line.strip(), frozenset(found), aside))
            elif found:
                pieces += [
                    _Piece(number, piece.strip(), frozenset(looked_for.findall(lowered(piece))), aside)
                    for piece in _PIECE.findall(line.strip())
                ]
    return sorted(pieces, key=lambda piece: (-len(piece.beginnings), piece.aside, piece.number))


def lowered(text: str) -> str:
    """As `fold`, without its work where every letter is ASCII: most text beyond it only holds a box or a dash."""
    return text.lower() if text.isascii() or not _ACCENTED.search(text) else fold(text)


def starts_of(term: str) -> tuple[str, ...]:
    """What a word begins with whose stem is ``term``: all but the last letter, which may be another in the word.

    So it is for ``try``, whose stem is ``tri``, and ``using``, whose stem is ``use``; ``dying`` has the stem ``die``.
    """
    if not term[-1].isascii():  # it has no stem of English
        return (term,)
    if term.endswith("ie"):
        return term[:-1], f"{term[:-2]}y"
    return (term[: max(_FEWEST_LETTERS - term.endswith(("e", "i")), len(term) - 1)],)


def _mark(line: str, terms: Collection[str] = (), looked_for: re.Pattern[str] | None = None) -> Line:
    spans: list[tuple[int, int]] = []
    start = end = 0
    for low, high in runs_in(line) if terms else ():
        if spans and high > end:  # beyond what is shown
            break
        run = line[low:high]
        if looked_for and not looked_for.search(lowered(run)):
            continue
        found = analyze(run)
        if any(term in terms for term in (*found.words, *found.names)):
            spans.append((low, high))
            if len(spans) == 1:
                start, end = _window(line, low)
    if not spans:
        start, end = _window(line, 0)
    text = ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
    shift = start - (1 if start else 0)
    inside = ((low - shift, high - shift) for low, high in spans if start <= low and high <= end)
    return Line(text, tuple(inside))


def _window(line: str, first: int) -> tuple[int, int]:
    """From where to where a line is shown so that what stands at ``first`` is seen; all of a short one."""
    start = max(0, min(first - _LINE_LENGTH // 4, len(line) - _LINE_LENGTH))
    return start, min(len(line), start + _LINE_LENGTH)
