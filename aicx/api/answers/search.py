"""`aicx.search/1`: the passages that answer a question."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aicx.engine.search import Hit, SearchReport

SCHEMA = "aicx.search/1"
# A question that is typed has no more words; of one that is pasted the first tell enough.
_MAX_NAMED = 12


@dataclass(frozen=True, slots=True)
class Contribution:
    """One retriever's part in a score: its rank from 1, its own score, and what that was worth."""

    rank: int
    score: float
    worth: float


@dataclass(frozen=True, slots=True)
class Reply:
    """Lines of what the agent said in the end, from a later chunk of the session, whose ``id`` it has."""

    id: str
    ref: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class SearchItem:
    """One answer to a question; ``density``, its score from 0 to 10 and its label are those of `aicx rank`.

    ``title`` is that of its session. ``runs`` counts the sessions of one prompt that it speaks for.
    """

    rank: int
    score: float
    tier: str
    id: str
    ref: str
    session_id: str
    agent: str
    project: str
    date: str
    started_at: str
    kind: str
    title: str | None
    chunk_title: str | None
    branch: str | None
    cwd: str | None
    lane: str | None
    path: str
    chunks: int
    terms_found: int
    terms_asked: int
    matches: list[str]
    reply: Reply | None
    altered: bool
    density: str
    density_score: float
    label: str
    decay_factor: float
    contributions: dict[str, Contribution]
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]


@dataclass(frozen=True, slots=True)
class IndexFreshness:
    """How many chunks an index lacks or still has; null where that is not known."""

    behind: int | None


@dataclass(frozen=True, slots=True)
class SearchStatus:
    """How the answers came about: which retrievers took part, what served in another's place, what was stale."""

    source_layer: str
    backend: str
    rankers: list[str]
    index_kind: str
    fallback_reason: str | None
    store_root: str
    indexed_count: int
    scanned_count: int
    freshness: dict[str, IndexFreshness]
    stale_or_unknown: bool
    near_threshold: float | None
    nearest: float | None
    candidate_count: int
    source_paths_verified: bool


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Passages, best first, how far they have what was asked, and (``oracle_status``) how they came about."""

    query: str
    results: int
    matched: int
    scanned: int
    evidence: str
    missing_words: list[str]
    evidence_note: str | None
    items: list[SearchItem]
    notes: list[str]
    oracle_status: SearchStatus


def search_answer(report: SearchReport) -> SearchAnswer:
    home = Path(report.oracle_status["store_root"])
    return SearchAnswer(
        query=report.query.text,
        results=len(report.hits),
        matched=report.matched,
        scanned=report.scanned,
        evidence=report.evidence,
        missing_words=list(report.missing_words),
        evidence_note=evidence_note(report),
        items=[_item(hit, home) for hit in report.hits],
        notes=report.notes,
        oracle_status=search_status(report),
    )


def evidence_note(report: SearchReport) -> str | None:
    """What every door says of what was not found; None where there is nothing to say."""
    words = list(map(repr, report.missing_words[:_MAX_NAMED]))
    if len(report.missing_words) > _MAX_NAMED:
        words.append(f"{len(report.missing_words) - _MAX_NAMED} more")
    named = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
    missing = f"{named} {'occurs' if len(words) == 1 else 'occur'} nowhere" if words else ""
    missing += " within these limits" if words and report.limited else ""
    match report.evidence:
        case "none":
            return f"Nothing matches: {missing}." if missing else None
        case "weak" if missing:
            return f"{_capital(missing)}. Weak evidence: these answers have only other words of the question."
        case "weak":
            return "Weak evidence: no passage has the words of the question together, only some of them, or apart."
    return f"{_capital(missing)}; the answers have the other words." if missing else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def search_status(report: SearchReport) -> SearchStatus:
    freshness = {name: IndexFreshness(**index) for name, index in report.oracle_status["freshness"].items()}
    return SearchStatus(**{**report.oracle_status, "freshness": freshness})


def _item(hit: Hit, home: Path) -> SearchItem:
    fields, density = hit.sidecar.fields, hit.density()
    return SearchItem(
        rank=hit.rank,
        score=round(hit.score, 6),
        tier=hit.tier,
        id=hit.sidecar.id,
        ref=hit.ref,
        session_id=hit.sidecar.session_id,
        agent=hit.sidecar.agent,
        project=hit.sidecar.project,
        date=fields["date"],
        started_at=fields["started_at"],
        kind=fields["kind"],
        title=hit.title,
        chunk_title=fields.get("title"),
        branch=fields.get("branch"),
        cwd=fields.get("cwd"),
        lane=fields.get("lane"),
        path=str(home / hit.path),
        chunks=hit.chunks,
        terms_found=hit.terms_found,
        terms_asked=hit.terms_asked,
        matches=[line.text for line in hit.lines],
        reply=Reply(hit.reply.chunk, hit.reply.ref, [line.text for line in hit.reply.lines]) if hit.reply else None,
        altered=hit.altered,
        density=f"{density.share:.0%}",
        density_score=density.score,
        label=density.label,
        decay_factor=round(hit.decay_factor, 4),
        contributions={
            name: Contribution(vote.rank, round(vote.score, 4), round(vote.worth, 6))
            for name, vote in hit.votes.items()
        },
        automated=hit.automated_why is not None,
        automated_why=hit.automated_why,
        runs=len(hit.runs),
        run_ids=list(hit.runs) if len(hit.runs) > 1 else [],
    )
