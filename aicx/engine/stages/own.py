"""The stage that prefers the repository in which the question is asked."""

from __future__ import annotations

from dataclasses import replace

from aicx.engine.stages.state import SearchState


def prefer_own(state: SearchState) -> SearchState:
    """Multiplies the scores of what was done in this repository; softly, so that what fits better stays first."""
    if state.place is None or not state.query.rules.own_repository:
        return state
    raised = [answer._replace(score=answer.score * factor_of(state, answer.best)) for answer in state.answers]
    return replace(state, answers=sorted(raised, key=lambda answer: (-answer.score, answer.group)))


def factor_of(state: SearchState, chunk: str) -> float:
    """Returns the factor of a chunk's score for the repository it is of."""
    row = state.rows[chunk]
    share = state.place.share(row["project"], row["cwd"]) if state.place else None
    return 1.0 + state.query.rules.own_repository * (share or 0.0)
