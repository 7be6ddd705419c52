"""Finds the lines of a text that answer a question, and says how well the text fits it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.analysis import analyze, fold
from retrieval.questions import Question

Tier = Literal["exact", "partial", "nearest"]

_LINE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a text, shortened around what matched; ``marks`` are the spans to highlight in it."""

    text: str
    marks: tuple[tuple[int, int], ...]


def best_lines(question: Question, texts: Iterable[str], limit: int) -> list[Line]:
    """The lines that share most with the question, in the order of the text, at most ``limit``."""
    words, names = set(question.terms.words), set(question.terms.names)
    scored: list[tuple[float, int, str]] = []
    seen: set[str] = set()
    number = 0
    for text in texts:
        for line in text.splitlines():
            number += 1
            plain = line.strip()
            if len(plain) < 3 or plain in seen:
                continue
            seen.add(plain)
            terms = analyze(plain[:2000])
            found = words.intersection(terms.words)
            named = names.intersection(terms.names)
            phrased = sum(fold(phrase) in fold(plain) for phrase in question.phrases)
            if found or named:
                scored.append((len(found) + 2 * len(named) + 3 * phrased, number, plain))
    best = sorted(scored, key=lambda item: (-item[0], item[1]))[:limit]
    return [_mark(plain, words | names) for _, _, plain in sorted(best, key=lambda item: item[1])]


def tier_of(question: Question, texts: Sequence[str]) -> Tier:
    """How a text fits: every asked word and name and each quoted phrase in it, some of them, or none."""
    words, names = set(question.terms.words), set(question.terms.names)
    have_words: set[str] = set()
    have_names: set[str] = set()
    for text in texts:
        terms = analyze(text)
        have_words.update(terms.words)
        have_names.update(terms.names)
    folded = [fold(text) for text in texts] if question.phrases else []
    phrased = all(any(fold(phrase) in text for text in folded) for phrase in question.phrases)
    if names <= have_names and words <= have_words and phrased:
        return "exact"
    return "partial" if words & have_words or names & have_names else "nearest"


def _mark(line: str, terms: set[str]) -> Line:
    spans: list[tuple[int, int]] = []
    at = 0
    for run in line.split():
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
