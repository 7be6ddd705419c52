"""The first stages: the question as it is meant."""

from __future__ import annotations

from dataclasses import replace

from aicx.dates import lift_dates
from aicx.engine.stages import releases
from aicx.engine.stages.state import SearchState
from aicx.errors import UsageError
from aicx.text import local
from retrieval.questions import parse_question


def lift_date(state: SearchState) -> SearchState:
    """Takes a date out of the question's text and puts it into the filters, unless one is set there."""
    query = state.query
    if not query.lift_dates or query.filters.date is not None:
        return state
    dated = lift_dates(query.text, local(query.now).date(), lambda version: releases.released_on(state, version))
    notes = [f"no release of {version} is known, so that it limits nothing" for version in dated.unknown]
    if dated.days is not None:
        first, last = dated.days
        notes.append(f"only what is from {first or 'the beginning'} to {last or 'now'}, as the question says")
        query = replace(query, text=dated.text, filters=replace(query.filters, date=dated.days))
    return replace(state, query=query, notes=(*state.notes, *notes))


def parse(state: SearchState) -> SearchState:
    """Reads words, names and phrases out of the text.

    Raises UsageError where it leaves nothing to look for, not even a date.
    """
    query, question = state.query, parse_question(state.query.text)
    notes = state.notes
    if question.shortened:
        notes = (*notes, f"the question was cut to its first {len(question.text)} characters")
    if question.empty and query.filters.date is None:
        raise UsageError(
            f"nothing to look for in {query.text[:60]!r}: only stop words or symbols",
            hint="ask with a word that says more, or quote it exactly",
        )
    return replace(state, question=question, notes=notes)


def limit(state: SearchState) -> SearchState:
    """Turns the filters into conditions that every index applies before it ranks."""
    where, notes = state.catalog.conditions(state.query.filters)
    return replace(state, where=tuple(where), notes=(*state.notes, *notes))
