"""The stages that say how far the answers have what was asked: strong evidence, weak, or none."""

from __future__ import annotations

from dataclasses import replace

from aicx.engine.stages.state import SearchState
from retrieval.analysis import fold
from retrieval.evidence import ENOUGH, Evidence


def keep_telling(state: SearchState) -> SearchState:
    """Drops what was found by words alone where none of them tells: "how does X work" is not about work.

    A name that occurs nowhere was looked for by its parts, too. Within filters a common word may be what is asked.
    """
    if state.occurrences is None or state.occurrences.telling or state.question.terms.names or state.where:
        return state
    return replace(state, rankings={name: found if name == "dense" else () for name, found in state.rankings.items()})


def say_corrections(state: SearchState) -> SearchState:
    """Says what was searched for in place of words that occur nowhere, where that found something to show."""
    notes = [
        f"searched for {_as_written(used, state)!r} instead of {typed!r}, which occurs nowhere; in quotes it is kept"
        for typed, used in state.question.corrected
        if state.hits
    ]
    return replace(state, notes=(*notes, *state.notes))


def _as_written(term: str, state: SearchState) -> str:
    """A word as the answers write it: indexes have it without capitals and diacritics."""
    marked = (line.text[low:high] for hit in state.hits for line in hit.lines for low, high in line.marks)
    return min((word for word in marked if fold(word) == term), default=term, key=lambda word: word != word.lower())


def judge(state: SearchState) -> SearchState:
    """Strong where an answer has enough of the question in one passage; none where there is no answer.

    Where only meaning was asked, the nearest has to be above the noise threshold.
    """
    if state.occurrences is not None:
        enough = state.together >= ENOUGH
    else:
        enough = state.near is None or state.nearest is None or state.nearest >= state.near
    evidence: Evidence = "none" if not state.hits else "strong" if enough else "weak"
    return replace(state, evidence=evidence)
