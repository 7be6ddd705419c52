"""Ranks the chunks of a project by their share of decisions, reasons and results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from aicx.api.filters import Filters
from aicx.corpus.catalog.query import steer
from aicx.corpus.files.read import read_chunk
from aicx.corpus.views.density import measure
from aicx.corpus.views.documents import to_document
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.text import shorten

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
    layout: Layout, project: str, *, since: datetime | None, agents: tuple[str, ...] = (), strict: bool, top: int
) -> RankedChunks:
    """At most ``top`` chunks of a project; with ``strict`` only those that score `STRICT_SCORE` and more."""
    found = steer(layout, Filters(project=(project,), agent=agents, since=since), MAX_RANKED)
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
                "title": item.get("title"),
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
    return RankedChunks(items[:top], found.notes, found.oracle_status)
