"""The stages that drop candidates which are no answer."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from aicx.corpus.files.read import load_markdown
from aicx.engine.stages.retrieve import is_lookup, pool
from aicx.engine.stages.state import SearchState
from aicx.errors import AicxError
from retrieval.lines import lowered
from retrieval.ranking import above_noise


def keep_phrases(state: SearchState) -> SearchState:
    """Keeps each retriever's best candidates in which every phrase occurs as it was quoted.

    An index knows stems and no stop words: to it, "could not compile" is a word.
    """
    if not state.question.phrases:
        return state
    phrases = [_one_line(phrase) for phrase in state.question.phrases]
    known: dict[str, bool] = {}

    def holds(chunk: str) -> bool:
        if chunk not in known:
            try:
                text = _one_line(load_markdown(state.layout, state.rows[chunk]["path"]).decode("utf-8", "replace"))
            except AicxError:
                known[chunk] = True  # the stage that quotes it says what is wrong with it
            else:
                known[chunk] = all(phrase in text for phrase in phrases)
        return known[chunk]

    return replace(
        state,
        rankings={
            name: list(islice((item for item in found if holds(item.id)), pool(state)))
            for name, found in state.rankings.items()
        },
    )


def drop_noise(state: SearchState) -> SearchState:
    """Drops what only meaning names and scores no better than unrelated questions do: where words found nothing, and of
    what is looked up, as one word is too."""
    near = state.near
    if not state.query.rules.abstain or near is None or not state.rankings.get("dense"):
        return state
    lookup = is_lookup(state) or len(state.question.runs) == 1
    rankings = above_noise(state.rankings, near, lookup=lookup)
    notes = state.notes
    if not any(rankings.values()):
        nearest = f"the nearest passage scores {state.nearest:.2f}"
        notes = (*notes, f"nothing is near: {nearest}, and unrelated questions come as near as {near:.2f}")
    return replace(state, rankings=rankings, notes=notes)


def _one_line(text: str) -> str:
    return " ".join(lowered(text).split())
