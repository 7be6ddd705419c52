"""The last stage: the best answers read from disk, each with the lines that fit the question."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from aicx.corpus.files.read import read_chunk
from aicx.corpus.views.documents import header_of, searchable_texts, tool_text_indexes
from aicx.engine.stages.order import decay_of
from aicx.engine.stages.state import Hit, State, density_of
from aicx.errors import AicxError
from aicx.text import plural
from retrieval.evidence import ENOUGH, share_together
from retrieval.excerpts import excerpt, opening_lines

_MAX_LINES = 3


def quote(state: State) -> State:
    """Makes hits of the best answers; what cannot be read is left out and named.

    Where the query asks for dense chunks, further answers are read until enough are dense, and the others are counted.
    """
    query = state.query
    hits: list[Hit] = []
    unreadable: list[str] = []
    left_out = 0
    together = 0.0
    for answer in state.answers if query.min_score else state.answers[: query.limit]:
        if len(hits) == query.limit:
            break
        row = state.rows[answer.best]
        try:
            stored = read_chunk(state.layout, row["path"])
        except AicxError as error:
            unreadable.append(f"{error.message}; `aicx doctor` says more")
            continue
        sidecar = stored.sidecar
        texts = searchable_texts(sidecar, stored.markdown)
        tools = set(tool_text_indexes(sidecar))
        said = tuple(text for place, text in enumerate(texts) if place not in tools)
        if query.min_score and density_of(said).score < query.min_score:
            left_out += 1
            continue
        if state.occurrences and together < ENOUGH:
            passages = (*texts, header_of(sidecar))
            together = max(together, share_together(state.occurrences, passages))
        found = excerpt(state.question, texts, header_of(sidecar), _MAX_LINES, tools)
        lines = found.lines
        if not lines:
            start = _nearest_passage(state, answer.best) or (_last_spoken(len(texts), tools), 0)
            lines = opening_lines(texts, start, _MAX_LINES)
        hits.append(
            Hit(
                rank=len(hits) + 1,
                score=answer.score,
                tier=found.tier,
                sidecar=sidecar,
                path=row["path"],
                lines=lines,
                votes=answer.votes,
                decay_factor=decay_of(row, query)[0],
                chunks=answer.documents,
                terms_found=found.found,
                terms_asked=found.asked,
                altered=stored.altered,
                said=said,
            )
        )
    notes = [f"{plural(left_out, 'answer')} with a density below {query.min_score:g} left out"] if left_out else []
    said = (*state.notes, *notes, *unreadable)
    return replace(state, hits=tuple(hits), unreadable=tuple(unreadable), notes=said, together=together)


def _nearest_passage(state: State, chunk: str) -> tuple[int, int] | None:
    """Where the dense retriever's passage begins: which of the chunk's texts, and the character there."""
    candidate = next((item for item in state.rankings.get("dense", ()) if item.id == chunk), None)
    return state.retrievers.dense.start_of(candidate) if candidate else None


def _last_spoken(count: int, tools: Collection[int]) -> int:
    """Which of a chunk's texts tells how it ended: the last that is not a tool's."""
    return max((place for place in range(count) if place not in tools), default=0)
