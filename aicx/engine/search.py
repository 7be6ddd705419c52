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
from aicx.engine.lexical import LEXICAL_WEIGHTS, lexical_freshness, read_manifest
from aicx.errors import AicxError, CorpusDamaged, NotFound, UsageError
from aicx.paths import Layout
from aicx.types import Candidate, Filters
from retrieval.conditions import Condition, NoneOf
from retrieval.decay import PROFILES, Decay, factor
from retrieval.excerpts import Line, Tier, best_lines, tier_of
from retrieval.fusion import Fused, Vote, weighted_sum
from retrieval.questions import Question, parse_question

Mode = Literal["auto", "lexical", "dense", "hybrid", "scan"]
Group = Literal["chunk", "session"]
Sort = Literal["relevance", "newest", "oldest"]

# What each ranker's vote is worth. Words decide most; meaning helps where the words differ.
RANKER_WEIGHTS = {"lexical": 0.65, "scan": 0.65, "dense": 0.35}
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
        legs = _rank(settings, query, question, where, pool, catalog)
        fused = weighted_sum(legs.rankings, RANKER_WEIGHTS)
        facts = _facts(catalog, [item.id for item in fused])
        if not ignore_is_current(settings.layout, catalog):
            hidden = ignore_matcher(settings.layout)
            facts = {chunk: row for chunk, row in facts.items() if not hidden(row["path"])}
        ranked = _reorder([item for item in fused if item.id in facts], facts, query)
        chosen = _group(ranked, facts) if query.group == "session" else [(item, 1) for item in ranked]
        chosen = _sorted(chosen, facts, query.sort)
        hits, missing = _hits(settings, question, chosen[: query.limit], facts)
        status = legs.status(settings.layout) | {"candidate_count": len(chosen), "source_paths_verified": not missing}
        notes = [*opened.notes, *notes, *missing]
        return SearchReport(query, hits, len(chosen), status["scanned_count"], notes, status)


@dataclass(frozen=True, slots=True)
class _Ranked:
    item: Fused
    score: float
    decay_factor: float


@dataclass(slots=True)
class _Legs:
    """What the rankers gave, and what the answer has to say of how it came about."""

    rankings: dict[str, Sequence[Candidate]] = field(default_factory=dict)
    freshness: dict[str, dict[str, int | None]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    indexed: int = 0
    scanned: int = 0

    def status(self, layout: Layout) -> dict[str, Any]:
        names = sorted(self.rankings)
        backend = "hybrid" if len(names) > 1 else {"scan": "filesystem_scan", "dense": "content_semantic"}.get(names[0])
        return {
            "source_layer": "layer_1_canonical_corpus",
            "backend": backend or names[0],
            "rankers": names,
            "index_kind": "none" if names == ["scan"] else "canonical_chunks",
            "fallback_reason": "; ".join(self.reasons) or None,
            "store_root": str(layout.home),
            "indexed_count": self.indexed,
            "scanned_count": self.scanned,
            "freshness": self.freshness,
            "stale_or_unknown": bool(self.reasons) or any(leg["behind"] != 0 for leg in self.freshness.values()),
        }


def _rank(
    settings: Settings,
    query: SearchQuery,
    question: Question,
    where: Sequence[Condition],
    pool: int,
    catalog: Catalog,
) -> _Legs:
    """Each ranker's candidates. A ranker that was asked for by name and cannot answer is an error, not a fallback."""
    legs = _Legs()
    if query.mode in ("auto", "lexical", "hybrid"):
        try:
            _lexical_leg(settings, question, where, pool, catalog, legs)
        except (NotFound, CorpusDamaged) as error:
            if query.mode != "auto":
                raise
            legs.reasons.append(f"{error.message}; every chunk was read instead (next: aicx store)")
    if query.mode in ("dense", "hybrid") or (query.mode == "auto" and _has_vectors(settings)):
        try:
            _dense_leg(settings, question, where, pool, catalog, legs)
        except AicxError as error:
            if query.mode != "auto":
                raise
            legs.reasons.append(f"answered without meaning: {error.message} (next: {error.hint or 'aicx index'})")
    if "lexical" not in legs.rankings and query.mode in ("auto", "scan"):
        legs.rankings["scan"] = _scan(settings.layout, catalog, question, query, pool)
        legs.freshness["scan"] = {"behind": 0}
        legs.scanned = catalog.rows("SELECT count(*) AS n FROM chunks WHERE ignored=0")[0]["n"]
    return legs


def _lexical_leg(
    settings: Settings, question: Question, where: Sequence[Condition], pool: int, catalog: Catalog, legs: _Legs
) -> None:
    from retrieval.lexical import LexicalSearcher

    searcher = LexicalSearcher(settings.layout.lexical_index, LEXICAL_WEIGHTS)
    legs.rankings["lexical"] = searcher.search(question, where, pool)
    legs.freshness["lexical"] = {"behind": lexical_freshness(settings.layout, catalog).behind}
    legs.indexed = searcher.size


def _dense_leg(
    settings: Settings, question: Question, where: Sequence[Condition], pool: int, catalog: Catalog, legs: _Legs
) -> None:
    from aicx.engine.semantic import search_vectors

    answer = search_vectors(settings, question.text, where, pool, catalog)
    legs.rankings["dense"] = answer.candidates
    legs.freshness["dense"] = {"behind": answer.behind}


def _has_vectors(settings: Settings) -> bool:
    """Whether the operator ever asked for a vector index; nothing semantic happens before."""
    return bool(read_manifest(settings.layout).get("vectors"))


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
