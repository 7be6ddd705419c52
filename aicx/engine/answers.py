"""Answers as JSON: one shape for the command line and for every server."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

# For types alone: a cold `steer` must not pay for what searching needs.
if TYPE_CHECKING:
    from aicx.corpus.catalog.query import Steered
    from aicx.corpus.views.rank import RankedChunks
    from aicx.corpus.views.show import Part, Shown, ShownChunk, ShownSession
    from aicx.engine.search import Hit, SearchReport
    from aicx.engine.vector_index import LexicalState, VectorState

SEARCH, STEER, RANK, SHOW, INDEX = "aicx.search/1", "aicx.steer/1", "aicx.rank/1", "aicx.show/1", "aicx.index/1"

_FACTS = ("id", "session_id", "agent", "project", "date", "started_at", "kind", "title", "branch", "cwd", "lane")


def search_fields(report: SearchReport) -> dict[str, Any]:
    """The answers to a question, as `aicx search --json` prints them."""
    return {
        "query": report.query.text,
        "results": len(report.hits),
        "matched": report.matched,
        "scanned": report.scanned,
        "items": [_hit(hit, Path(report.oracle_status["store_root"])) for hit in report.hits],
        "notes": report.notes,
        "oracle_status": report.oracle_status,
    }


def steer_fields(found: Steered) -> dict[str, Any]:
    """Chunks by what is known of them, as `aicx steer --json` prints them."""
    return {
        "results": len(found.items),
        "matched": found.matched,
        "items": found.items,
        "notes": found.notes,
        "oracle_status": found.oracle_status,
    }


def rank_fields(ranked: RankedChunks, project: str, hours: float, strict: bool) -> dict[str, Any]:
    """Chunks by what they are worth, as `aicx rank --json` prints them."""
    return {
        "project": project,
        "hours": hours,
        "strict": strict,
        "results": len(ranked.items),
        "items": ranked.items,
        "notes": ranked.notes,
        "oracle_status": ranked.oracle_status,
    }


def index_fields(words: LexicalState, meaning: VectorState | None) -> dict[str, Any]:
    """The state of both indexes, as `aicx index status --json` prints it."""
    fields: dict[str, Any] = {"lexical": asdict(words), "exists": meaning is not None}
    if meaning:
        fields |= {"embedder": meaning.choice.kind, "model": meaning.table.model, "uri": meaning.uri}
        fields |= {"passages": meaning.table.rows, "chunks": len(meaning.table.versions)}
        fields |= {"behind": meaning.behind, "dimensions": meaning.table.dimensions, "bytes": meaning.size}
    return fields


def show_fields(shown: Shown, ref: str) -> dict[str, Any]:
    """One chunk, one session, or a list of chunks, as `aicx show --json` prints it."""
    from aicx.corpus.views.show import ShownChunk, ShownList, ShownSession

    match shown.what:
        case ShownChunk() as chunk:
            found = _chunk(chunk)
        case ShownSession() as session:
            found = _session(session)
        case ShownList() as listed:
            found = {"found": listed.kind, "matched": listed.matched, "items": listed.items}
    return {"ref": ref, **found, "fallback_reason": shown.fallback_reason, "notes": shown.notes}


def _hit(hit: Hit, home: Path) -> dict[str, Any]:
    fields = hit.sidecar.fields
    density = hit.density()
    return {
        "rank": hit.rank,
        "score": round(hit.score, 6),
        "tier": hit.tier,
        **{name: fields.get(name) for name in _FACTS},
        "path": str(home / hit.path),
        "chunks": hit.chunks,
        "terms_found": hit.terms_found,
        "terms_asked": hit.terms_asked,
        "matches": [line.text for line in hit.lines],
        "altered": hit.altered,
        "density": f"{density.share:.0%}",
        "density_score": density.score,
        "label": density.label,
        "decay_factor": round(hit.decay_factor, 4),
        "contributions": {
            name: {"rank": vote.rank, "score": round(vote.score, 4), "worth": round(vote.worth, 6)}
            for name, vote in hit.votes.items()
        },
    }


def _chunk(chunk: ShownChunk) -> dict[str, Any]:
    return {
        "found": "chunk",
        "id": chunk.id,
        "path": str(chunk.path),
        "markdown": chunk.markdown.decode("utf-8", "replace"),
        "sidecar": chunk.fields,
        "sources": chunk.sources,
        "previous": chunk.previous,
        "next": chunk.next,
        "ignored": chunk.ignored,
        "altered": chunk.altered,
    }


def _session(session: ShownSession) -> dict[str, Any]:
    return {
        "found": "session",
        "agent": session.agent,
        "session_id": session.session_id,
        "title": session.title,
        "lane": session.lane,
        "projects": session.projects,
        "cwd": session.cwd,
        "started_at": session.started_at,
        "completed_at": session.completed_at,
        "parent_session": session.parent,
        "parent_stored": session.parent_stored,
        "children": session.children,
        "reopen": session.reopen,
        "log_is_there": session.log_is_there,
        "chunks": [_part(part) for part in session.parts],
    }


def _part(part: Part) -> dict[str, Any]:
    fields = dict(part.row)
    if part.markdown is not None:
        fields["markdown"] = part.markdown.decode("utf-8", "replace")
    if part.altered is not None:
        fields["altered"] = part.altered
    if part.states:
        fields["source_states"] = list(part.states)
    return fields
