"""`aicx.steer/1`: chunks by what is known of them, and by words and meaning where a text is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from aicx.api.answers import OPTIONAL
from aicx.corpus.catalog.query import steer_item
from aicx.corpus.catalog.runs import told

if TYPE_CHECKING:
    from aicx.api.answers.search import SearchStatus
    from aicx.corpus.catalog.query import Steered
    from aicx.engine.search import Hit, SearchReport

SCHEMA = "aicx.steer/1"


@dataclass(frozen=True, slots=True)
class SteerStatus:
    """How the catalogue answered. ``fallback_reason`` says why it did not, and every sidecar was read."""

    source_layer: str
    backend: str
    index_kind: str
    fallback_reason: str | None
    store_root: str
    indexed_count: int
    scanned_count: int
    candidate_count: int
    source_paths_verified: bool
    stale_or_unknown: bool


@dataclass(frozen=True, slots=True)
class SteerAnswer:
    """Chunks by what is known of them: the fields of their sidecars, and the path of each.

    Where a text was asked for, each also has a ``score``, by which they are in descending ``order`` unless the text was
    only a date, ``evidence`` says how far they have what was asked, and ``oracle_status`` is that of a search.
    """

    results: int
    matched: int
    items: list[dict[str, Any]]
    notes: list[str]
    oracle_status: SteerStatus | SearchStatus
    query: str | None = field(default=None, metadata=OPTIONAL)
    order: Literal["relevance", "newest"] | None = field(default=None, metadata=OPTIONAL)
    decay: str | None = field(default=None, metadata=OPTIONAL)
    evidence: str | None = field(default=None, metadata=OPTIONAL)


def steer_answer(found: Steered) -> SteerAnswer:
    status = SteerStatus(**found.oracle_status)
    return SteerAnswer(len(found.items), found.matched, found.items, found.notes, status)


def ranked_answer(report: SearchReport) -> SteerAnswer:
    """The answer to a text; see `aicx.engine.steering`."""
    # Imported here: a list by facts alone needs none of a search.
    from aicx.api.answers.search import evidence_note, search_status
    from retrieval.decay import decay_name

    home, query = Path(report.oracle_status["store_root"]), report.query
    note = evidence_note(report)
    return SteerAnswer(
        results=len(report.hits),
        matched=report.matched,
        items=[_item(hit, home) for hit in report.hits],
        notes=[*([note] if note else []), *report.notes],
        oracle_status=search_status(report),
        query=query.text,
        order="newest" if query.sort == "newest" else "relevance",
        decay=decay_name(query.decay),
        evidence=report.evidence,
    )


def _item(hit: Hit, home: Path) -> dict[str, Any]:
    found = told({"automated_why": hit.automated_why}, hit.runs) | {"score": round(hit.score, 6)}
    return steer_item(hit.sidecar.fields, home / hit.path, hit.title, found)


def order_of(fields: Mapping[str, Any]) -> str:
    """In words, how the items of an answer's fields are ordered."""
    if fields.get("order") != "relevance":
        return "newest first"
    rankers, decay = fields["oracle_status"]["rankers"], fields["decay"]
    by = ["words"] * (rankers != ["dense"]) + ["meaning"] * ("dense" in rankers)
    by += [] if decay == "off" else [f"age (decay {decay})"]
    return f"ordered by {' and '.join(filter(None, (', '.join(by[:-1]), by[-1])))}"
