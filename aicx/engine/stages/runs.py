"""The stage that answers once for all runs of one prompt."""

from __future__ import annotations

from dataclasses import replace

from aicx.corpus.catalog.query import fold_runs, run_key
from aicx.engine.stages.state import SearchState


def fold(state: SearchState) -> SearchState:
    """Keeps, of the sessions that a program began with one prompt, the best; it speaks for the others."""
    if state.query.filters.automated:
        return state
    rows = state.rows
    folded = fold_runs(
        state.answers, lambda answer: str(rows[answer.best]["session_id"]), lambda answer: run_key(rows[answer.best])
    )
    return replace(
        state,
        answers=[answer for answer, _ in folded],
        runs={answer.best: sessions for answer, sessions in folded if len(sessions) > 1},
    )
