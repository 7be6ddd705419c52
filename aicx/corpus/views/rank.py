"""Ranks the chunks of a project by their share of decisions, reasons and results."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from aicx.corpus.catalog.query import steer
from aicx.corpus.catalog.runs import fold_runs, run_key, told
from aicx.corpus.files.read import read_chunk
from aicx.corpus.views.density import measure
from aicx.corpus.views.documents import to_document
from aicx.errors import CorpusDamaged, NotFound
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.text import shorten
from aicx.values import dataclass

STRICT_SCORE = 5
_MAX_SENTENCES, _SENTENCE_LENGTH = 3, 240
# More chunks than this in the window are ranked newest first.
MAX_RANKED = 10_000


@dataclass(frozen=True, slots=True)
class RankedChunks:
    """The best chunks with their measures, best first, and how they were found."""

    items: list[dict[str, Any]]
    notes: list[str]
    oracle_status: dict[str, Any]


def rank_chunks(
    layout: Layout,
    project: str,
    *,
    since: datetime | None,
    agents: tuple[str, ...] = (),
    strict: bool,
    top: int,
    automated: bool = False,
) -> RankedChunks:
    """At most ``top`` chunks of a project; with ``strict`` only those that score `STRICT_SCORE` and more.

    Of the runs of one prompt the best is listed, with ``automated`` each.
    """
    found = steer(layout, Filters(project=(project,), agent=agents, since=since, automated=True), MAX_RANKED)
    items: list[dict[str, Any]] = []
    for item in found.items:
        try:
            stored = read_chunk(layout, item["path"].removeprefix(f"{layout.home}/"))
            document = to_document(stored.sidecar, stored.markdown)
        except (CorpusDamaged, NotFound, LookupError, TypeError, ValueError, AttributeError):
            continue  # `doctor` names it
        # What tools printed says little of how much was decided, and there is far more of it than of anything else.
        density = measure("\n".join(part.text for part in document.parts if part.field != "tool"))
        if strict and density.score < STRICT_SCORE:
            continue
        items.append(
            {
                "file": item["path"],
                "id": item["id"],
                "title": item["title"],
                "chunk_title": item["chunk_title"],
                "session_id": item["session_id"],
                "automated_why": item["automated_why"],
                "prompt_key": item["prompt_key"],
                "project": item["project"],
                "date": item["date"],
                "timestamp": item["started_at"],
                "kind": item["kind"],
                "agent": item["agent"],
                "score": density.score,
                "label": density.label,
                "signal": density.signal,
                "noise": density.noise,
                "total": density.total,
                "density": f"{density.share:.0%}",
                "sentences": [shorten(line, _SENTENCE_LENGTH) for line in density.telling[:_MAX_SENTENCES]],
                "altered": stored.altered,
            }
        )
    items.sort(key=lambda item: (-item["score"], -item["signal"], item["id"]))
    key_of = (lambda item: None) if automated else run_key
    folded = fold_runs(items, lambda item: str(item["session_id"]), key_of, top)
    ranked = [
        {name: value for name, value in item.items() if name != "prompt_key"} | told(item, sessions)
        for item, sessions in folded
    ]
    return RankedChunks(ranked, found.notes, found.oracle_status)
