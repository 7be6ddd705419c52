"""Search: a question through every ranker there is, to answers that say how they were found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.documents import documents
from aicx.corpus.filters import conditions
from aicx.corpus.query import open_catalog
from aicx.corpus.read import load_markdown, load_sidecar
from aicx.corpus.sidecar import Sidecar
from aicx.corpus.summary import ignore_is_current, ignore_matcher
from aicx.engine.conditions import index_conditions
from aicx.engine.lexical import LEXICAL_WEIGHTS, lexical_freshness
from aicx.errors import AicxError, CorpusDamaged, NotFound, UsageError
from aicx.paths import Layout
from aicx.types import Candidate, Filters
from retrieval.conditions import Condition, NoneOf
from retrieval.decay import PROFILES, Decay, factor
from retrieval.excerpts import Line, Tier, best_lines, tier_of
from retrieval.fusion import Fused, Vote, weighted_sum
from retrieval.questions import Question, parse_question

Mode = Literal["auto", "lexical", "scan"]
Group = Literal["chunk", "session"]
Sort = Literal["relevance", "newest", "oldest"]

# How many candidates each ranker gives before anything is reordered or grouped.
_POOL_LEAST, _POOL_MOST = 100, 5000
# A subagent did what another session asked for; the asker's own words are the better answer.
_SUBAGENT_WEIGHT = 0.8
# A session with several good chunks beats one with a single lucky chunk.
_SESSION_SHARES = (1.0, 0.5, 0.33)
_LINES = 3
_SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A question with everything that decides its answer, its own clock included."""

    text: str
    now: datetime
    filters: Filters = field(default_factory=Filters)
    mode: Mode = "auto"
    group: Group = "chunk"
    limit: int = 10
    sort: Sort = "relevance"
    decay: Decay | None = PROFILES["off"]
    exclude_session: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer: a chunk (the session's best one when grouped), why it is there, and enough to cite it."""

    rank: int
    score: float
    tier: Tier
    sidecar: Sidecar
    path: str
    lines: tuple[Line, ...]
    votes: Mapping[str, Vote]
    decay_factor: float
    chunks: int = 1  # how many chunks of the session matched, when grouped


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The answers and how they were obtained. ``matched`` counts candidates before the limit."""

    query: SearchQuery
    hits: list[Hit]
    matched: int
    scanned: int
    notes: list[str] = field(default_factory=list)
    oracle_status: dict[str, Any] = field(default_factory=dict)


def search(settings: Settings, query: SearchQuery) -> SearchReport:
    """Answers a question from the corpus.

    Raises UsageError for a question that leaves nothing to look for, NotFound when nothing is stored yet. An index
    that is missing or damaged is never silently passed over: the report names the ranker that served instead.
    """
    question = parse_question(query.text)
    if question.empty:
        raise UsageError(
            f"nothing to look for in {query.text[:60]!r}: only stop words or symbols",
            hint="ask with a word that says more, or quote it exactly",
        )
    with open_catalog(settings.layout) as opened:
        catalog = opened.catalog
        where, notes = index_conditions(query.filters, catalog)
        if query.exclude_session:
            where.append(NoneOf("session_id", (query.exclude_session,)))
        if question.shortened:
            notes.append(f"the question was cut to its first {len(question.text)} characters")
        pool = min(_POOL_MOST, max(_POOL_LEAST, 3 * query.limit))
        rankings, status = _rank(settings, query, question, where, pool, catalog)
        fused = weighted_sum(rankings, dict.fromkeys(rankings, 1.0))
        facts = _facts(catalog, [item.id for item in fused])
        if not ignore_is_current(settings.layout, catalog):
            hidden = ignore_matcher(settings.layout)
            facts = {chunk: row for chunk, row in facts.items() if not hidden(row["path"])}
        ranked = _reorder([item for item in fused if item.id in facts], facts, query)
        chosen = _group(ranked, facts) if query.group == "session" else [(item, 1) for item in ranked]
        chosen = _sorted(chosen, facts, query.sort)
        hits, missing = _hits(settings, question, chosen[: query.limit], facts)
        status |= {"candidate_count": len(chosen), "source_paths_verified": not missing}
        notes = [*opened.notes, *notes, *missing]
        return SearchReport(query, hits, len(chosen), status["scanned_count"], notes, status)


@dataclass(frozen=True, slots=True)
class _Ranked:
    item: Fused
    score: float
    decay_factor: float


def _rank(
    settings: Settings,
    query: SearchQuery,
    question: Question,
    where: Sequence[Condition],
    pool: int,
    catalog: Catalog,
) -> tuple[dict[str, Sequence[Candidate]], dict[str, Any]]:
    """Each ranker's candidates, and what the answer has to say of how it came about."""
    from retrieval.lexical import LexicalSearcher

    layout = settings.layout
    fallback: str | None = None
    total = catalog.rows("SELECT count(*) AS n FROM chunks WHERE ignored=0")[0]["n"]
    if query.mode in ("auto", "lexical"):
        try:
            searcher = LexicalSearcher(layout.lexical_index, LEXICAL_WEIGHTS)
            candidates = searcher.search(question, where, pool)
        except (NotFound, CorpusDamaged) as error:
            if query.mode == "lexical":
                raise
            fallback = f"{error.message}; every chunk was read instead (next: aicx store)"
        else:
            freshness = lexical_freshness(layout, catalog)
            behind = freshness.behind
            status = {
                "source_layer": "layer_1_canonical_corpus",
                "backend": "lexical",
                "rankers": ["lexical"],
                "index_kind": "canonical_chunks",
                "fallback_reason": None,
                "store_root": str(layout.home),
                "indexed_count": searcher.size,
                "scanned_count": 0,
                "freshness": {"lexical": {"behind": behind}},
                "stale_or_unknown": behind != 0,
            }
            return {"lexical": candidates}, status
    candidates = _scan(layout, catalog, question, query, pool)
    status = {
        "source_layer": "layer_1_canonical_corpus",
        "backend": "filesystem_scan",
        "rankers": ["scan"],
        "index_kind": "none",
        "fallback_reason": fallback,
        "store_root": str(layout.home),
        "indexed_count": 0,
        "scanned_count": total,
        "freshness": {"scan": {"behind": 0}},
        "stale_or_unknown": fallback is not None,
    }
    return {"scan": candidates}, status


def _scan(layout: Layout, catalog: Catalog, question: Question, query: SearchQuery, pool: int) -> list[Candidate]:
    from retrieval.scan import scan

    where, values, _ = conditions(query.filters, catalog)
    rows = catalog.rows(f"SELECT id, session_id FROM chunks WHERE {where} ORDER BY id", values)
    ids = [row["id"] for row in rows if row["session_id"] != query.exclude_session]
    return scan(documents(layout, catalog, ids), question, pool)


def _facts(catalog: Catalog, ids: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        marks = ",".join("?" * len(part))
        rows = catalog.rows(
            "SELECT id, path, agent, session_id, parent_session, lane, started_at, completed_at FROM chunks"
            f" WHERE ignored=0 AND id IN ({marks})",
            part,
        )
        found |= {row["id"]: row for row in rows}
    return found


def _reorder(fused: Sequence[Fused], facts: Mapping[str, Any], query: SearchQuery) -> list[_Ranked]:
    """Applies lane and age, softly: nothing is removed."""
    now = query.now.timestamp()
    ranked: list[tuple[float, float, str, _Ranked]] = []
    for item in fused:
        row = facts[item.id]
        age = (now - datetime.fromisoformat(row["completed_at"]).timestamp()) / _SECONDS_PER_DAY
        clamped, raw = factor(age, query.decay)
        lane = _SUBAGENT_WEIGHT if row["lane"] == "subagent" else 1.0
        score = item.score * lane * clamped
        ranked.append((-score, -item.score * lane * raw, item.id, _Ranked(item, score, clamped)))
    ranked.sort(key=lambda row: row[:3])
    return [row[3] for row in ranked]


def _group(ranked: Sequence[_Ranked], facts: Mapping[str, Any]) -> list[tuple[_Ranked, int]]:
    """One answer a session: its best chunk, scored by its best three."""
    sessions: dict[tuple[str, str], list[_Ranked]] = {}
    for item in ranked:
        row = facts[item.item.id]
        sessions.setdefault((row["agent"], row["session_id"]), []).append(item)
    answers = []
    for group in sessions.values():
        score = sum(item.score * share for item, share in zip(group, _SESSION_SHARES, strict=False))
        best = group[0]
        answers.append((_Ranked(best.item, score, best.decay_factor), len(group)))
    return sorted(answers, key=lambda answer: (-answer[0].score, answer[0].item.id))


def _sorted(chosen: list[tuple[_Ranked, int]], facts: Mapping[str, Any], sort: Sort) -> list[tuple[_Ranked, int]]:
    if sort == "relevance":
        return chosen
    return sorted(
        chosen, key=lambda answer: (facts[answer[0].item.id]["started_at"], answer[0].item.id), reverse=sort == "newest"
    )


def _hits(
    settings: Settings, question: Question, chosen: Sequence[tuple[_Ranked, int]], facts: Mapping[str, Any]
) -> tuple[list[Hit], list[str]]:
    hits: list[Hit] = []
    missing: list[str] = []
    for answer, chunks in chosen:
        path = facts[answer.item.id]["path"]
        try:
            sidecar = load_sidecar(settings.layout, path)
            markdown = load_markdown(settings.layout, path)
        except AicxError as error:
            missing.append(f"{error.message}; `aicx doctor` says more")
            continue
        texts = [
            markdown[low:high].decode("utf-8", "replace")
            for low, high in (message["span"] for message in sidecar.messages if not message.get("repeated"))
        ]
        hits.append(
            Hit(
                rank=len(hits) + 1,
                score=answer.score,
                tier=tier_of(question, [markdown.decode("utf-8", "replace")]),
                sidecar=sidecar,
                path=path,
                lines=tuple(best_lines(question, texts, _LINES)),
                votes=answer.item.votes,
                decay_factor=answer.decay_factor,
                chunks=chunks,
            )
        )
    return hits, missing
