"""Words of a statement and of a question, weighed so that scores compare between questions and between collections.

A statement's impact for a term is BM25's share of it that depends on the statement alone; it is near 1 where a
statement of ordinary length has the term. Times the term's rarity, over the rarity of all that was asked, it gives a
score from 0 to 1: 1 has every word, and a half has about half of what the question says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import log

from aicx.values import dataclass
from retrieval.analysis import Terms, analyze
from retrieval.questions import parse_question

# BM25's usual constants; the length counts less than among documents, since statements are all short.
_K1, _B = 1.2, 0.4
_USUAL = 12  # terms of an ordinary statement
UNIT = 1000  # an impact of 1, as tables keep it
NAME = "="  # marks a whole name, which is not met by a word


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """A question. ``terms`` has for each thing that is asked its forms, of which one that occurs is looked for."""

    text: str
    terms: tuple[tuple[str, tuple[str, ...]], ...]  # as typed, and its forms

    @property
    def empty(self) -> bool:
        return not self.terms


def asked(text: str) -> QuestionTerms:
    question = parse_question(text)
    found: dict[tuple[str, ...], str] = {}
    for run in question.runs:
        typed = run.typed or " ".join(run.words)
        if len(run.words) == 1 and not run.names:
            found.setdefault((run.words[0], *run.others), typed)
        else:
            for term in _all(run):
                found.setdefault((term,), typed)
    return QuestionTerms(question.text, tuple((typed, forms) for forms, typed in found.items()))


def impacts(fields: Iterable[tuple[str, float]]) -> dict[str, int]:
    """The impact of each term of a document, in `UNIT`; ``fields`` are its texts, each with its weight."""
    strength: dict[str, float] = {}
    length = 0.0
    for text, weight in fields:
        for term in _all(analyze(text)) if text else ():
            strength[term] = strength.get(term, 0.0) + weight
            length += weight
    saturation = _K1 * (1 - _B + _B * length / _USUAL)
    return {term: max(1, round(UNIT * value * (_K1 + 1) / (value + saturation))) for term, value in strength.items()}


def scores(
    question: QuestionTerms, size: int, count: Callable[[str], int], read: Callable[[str], Mapping[int, int]]
) -> tuple[dict[int, float], list[str]]:
    """The score of every document that has a term of the question, and what was typed and occurs nowhere.

    A score may be a little above 1, of one that says everything twice.

    ``count`` says in how many of ``size`` documents a term occurs, ``read`` gives their impacts.
    """
    missing: dict[str, bool] = {}
    asked_for: list[tuple[str, float]] = []
    total = 0.0
    for typed, forms in question.terms:
        form, occurs = max(((form, count(form)) for form in forms), key=lambda one: bool(one[1]))
        rarity = log(1 + (size - occurs + 0.5) / (occurs + 0.5))
        total += rarity
        missing[typed] = missing.get(typed, True) and not occurs
        if occurs:
            asked_for.append((form, rarity))
    found: dict[int, float] = {}
    for form, rarity in asked_for:
        weight = rarity / (total * UNIT)
        for document, impact in read(form).items():
            found[document] = found.get(document, 0.0) + weight * impact
    return found, [typed for typed, absent in missing.items() if absent]


def _all(terms: Terms) -> list[str]:
    return terms.words + [NAME + name for name in terms.names]
