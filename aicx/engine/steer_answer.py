"""`aicx.steer/1` and `aicx.rank/1`: chunks by what is known of them, or by how much of them is worth reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from aicx.corpus.catalog.query import steer_item, told
from aicx.fields import OPTIONAL
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.corpus.catalog.query import MetadataAnswer
    from aicx.engine.search import Hit, SearchReport
    from aicx.engine.search_answer import SearchStatus
    from aicx.engine.stages import Team


SCHEMA = "aicx.steer/1"


@dataclass(frozen=True, slots=True)
class SteerStatus:
    """How the catalogue answered."""

    source_layer: Annotated[str, "`layer_1_canonical_corpus`"]
    backend: Annotated[str, "`steer_metadata` (the catalogue) or `canonical_corpus` (every sidecar was read)"]
    index_kind: Annotated[str, "`metadata_steer` or `none`"]
    fallback_reason: Annotated[str | None, "why the catalogue was not used, or null"]
    store_root: Annotated[str, "the corpus's folder"]
    indexed_count: Annotated[int, "chunks in the catalogue"]
    scanned_count: Annotated[int, "chunks read because it was missing"]
    candidate_count: Annotated[int, "chunks that matched"]
    source_paths_verified: Annotated[bool, "whether every returned path exists"]
    stale_or_unknown: Annotated[bool, "whether one is missing"]


@dataclass(frozen=True, slots=True)
class SteerAnswer:
    """Chunks by what is known of them, newest first.

    An item is a sidecar without ``messages``, ``folders``, ``places``, ``commits`` and what titles are made of, with
    the absolute ``path``, the ``title`` of the session and the ``chunk_title``; ``agent_model`` is ``model`` again;
    ``automated``, ``automated_why``, ``runs`` and ``run_ids`` are as in [`sessions`](#sessions-aicxsessions1).

    With a text each item also has ``score``, the fused score times the factor for age, by which they are in descending
    order; it is comparable within one answer only. ``matched`` then counts candidates, and the last four fields are
    there. With `--team` each item also has ``member``, who gave it to the share, or yourself; where it is another, the
    ``path`` is empty.
    """

    results: int
    matched: int
    items: Annotated[list[dict[str, Any]], "see above"]
    notes: list[str]
    oracle_status: SteerStatus | SearchStatus
    query: Annotated[str | None, "the text"] = field(default=None, metadata=OPTIONAL)
    order: Annotated[Literal["relevance", "newest"] | None, "`newest` if the text was only a date"] = field(
        default=None, metadata=OPTIONAL
    )
    decay: str | None = field(default=None, metadata=OPTIONAL)
    evidence: str | None = field(default=None, metadata=OPTIONAL)


def steer_answer(found: MetadataAnswer) -> SteerAnswer:
    status = SteerStatus(**found.oracle_status)
    return SteerAnswer(len(found.items), found.matched, found.items, found.notes, status)


def ranked_answer(report: SearchReport) -> SteerAnswer:
    """The answer to a text; see `aicx.engine.stages`."""
    # Imported here: a list by facts alone needs none of a search.
    from aicx.engine.search_answer import search_status
    from retrieval.decay import decay_name

    home, query = Path(report.oracle_status["store_root"]), report.query
    return SteerAnswer(
        results=len(report.hits),
        matched=report.matched,
        items=[_item(hit, home, query.team) for hit in report.hits],
        notes=[*filter(None, [report.evidence_note]), *report.notes],
        oracle_status=search_status(report),
        query=query.text,
        order="newest" if query.sort == "newest" else "relevance",
        decay=decay_name(query.decay),
        evidence=report.evidence,
    )


def _item(hit: Hit, home: Path, team: Team | None) -> dict[str, Any]:
    found = told({"automated_why": hit.automated_why}, hit.runs) | {"score": round(hit.score, 6)}
    item = steer_item(hit.sidecar.fields, home / hit.path, hit.title, found)
    if hit.member is not None:
        return {**item, "path": "", "member": hit.member}
    return {**item, "member": team.member} if team else item


def order_of(fields: Mapping[str, Any]) -> str:
    """In words, how the items of an answer's fields are ordered."""
    if fields.get("order") != "relevance":
        return "newest first"
    rankers, decay = fields["oracle_status"]["rankers"], fields["decay"]
    by = ["words"] * (rankers != ["dense"]) + ["meaning"] * ("dense" in rankers)
    by += [] if decay == "off" else [f"age (decay {decay})"]
    return f"ordered by {' and '.join(filter(None, (', '.join(by[:-1]), by[-1])))}"


RANK_SCHEMA = "aicx.rank/1"


@dataclass(frozen=True, slots=True)
class RankItem:
    """A chunk with its score, its lines by sort, and those that say most."""

    file: Annotated[str, "the chunk's absolute path"]
    id: str
    session_id: str
    title: str | None
    chunk_title: str | None
    project: str
    date: str
    timestamp: Annotated[str, "time of the first message"]
    kind: str
    agent: str
    score: Annotated[float, "0 to 10"]
    label: str
    signal: Annotated[int, "lines worth reading, without tool text"]
    noise: Annotated[int, "other lines, without tool text"]
    total: Annotated[int, "lines without tool text"]
    density: Annotated[str, "the share of `signal`, such as `56%`"]
    sentences: Annotated[list[str], "up to three sentences that make lines `signal`, those that weigh most first"]
    altered: bool
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]


@dataclass(frozen=True, slots=True)
class RankAnswer:
    """The best chunks of a project."""

    project: Annotated[str, "the filter used"]
    hours: Annotated[float, "the filter used; 0 means all time"]
    strict: Annotated[bool, "the filter used"]
    results: int
    items: Annotated[list[RankItem], "highest score first"]
    notes: list[str]
    oracle_status: SteerStatus


def rank_answer(ranked: MetadataAnswer, project: str, hours: float, strict: bool) -> RankAnswer:
    items = [RankItem(**item) for item in ranked.items]
    return RankAnswer(project, hours, strict, len(items), items, ranked.notes, SteerStatus(**ranked.oracle_status))
