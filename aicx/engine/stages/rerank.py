"""The stage that compares the best answers with the question token by token."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aicx.corpus.views.documents import searchable_texts
from aicx.engine.stages.retrieve import asked_text
from aicx.engine.stages.state import SearchState, session_of
from aicx.engine.stages.team import stored_of
from aicx.engine.team import is_shared
from aicx.errors import AicxError
from aicx.types import Candidate
from retrieval.ranking import RankedAnswer

if TYPE_CHECKING:
    from retrieval.embedders import Tokens

# A static model's windows are short: so many characters around one are compared too.
_AROUND = 120


def rerank(state: SearchState) -> SearchState:
    """Adds what late interaction says of the best sessions, each by its nearest passage.

    A session without a passage that can be read keeps its score.
    """
    count, weight = state.query.rerank, state.query.rules.rerank
    if state.scales is None or not count or not weight:
        return state
    # Imported here: without a vector index there is nothing to compare.
    from retrieval import late

    vectors = state.retrievers.dense.open
    text = asked_text(state)
    if (asked := vectors.embed_tokens([text])) is None:
        return state
    passages = late.affordable(
        _passages(state, state.answers[: late.most_compared(count)]), count, vectors.embedder.kind
    )

    def embed(texts: Sequence[str]) -> list[Tokens]:
        return vectors.embed_tokens(texts) or []

    answers, compared = late.rerank(state.answers, passages, (text, asked[0]), embed, state.occurrences, weight)
    return replace(state, answers=answers, reranked=compared)


def _passages(state: SearchState, answers: Sequence[RankedAnswer]) -> Iterator[tuple[str, str]]:
    """Each session with the text of its nearest passage, in the order of ``answers``."""
    rows = state.rows
    wanted = {answer.group for answer in answers}
    nearest: dict[str, Candidate] = {}
    for candidate in state.rankings.get("dense", ()):  # best first
        group = session_of(rows[candidate.id])
        if group in wanted:
            nearest.setdefault(group, candidate)
    vectors = state.retrievers.dense.open
    places = vectors.places([one for one in nearest.values() if not is_shared(rows[one.id])])
    shared = [one.id for one in nearest.values() if is_shared(rows[one.id])]
    places |= {name: place for name in shared if (place := rows[name]["place"])}
    around = _AROUND if vectors.embedder.kind == "static" else 0
    for group in (answer.group for answer in answers if answer.group in nearest):
        candidate = nearest[group]
        if place := places.get(candidate.id):
            try:
                stored = stored_of(state, rows[candidate.id])
                text = searchable_texts(stored.sidecar, stored.markdown)[place.part]
            except (AicxError, IndexError):
                continue  # the stage that quotes it says what is wrong with it
            yield group, text[max(0, place.start - around) : place.stop + around]
