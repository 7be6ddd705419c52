"""Passages of stored sessions as evidence beside the memory: what somebody said once, and nobody agreed to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aicx.engine.search import Hit, Searcher, SearchQuery
from aicx.memory.answers import MemoryEntry
from aicx.memory.assess import TRACE, freshness_of
from aicx.memory.policy import Policy, PolicyReason
from aicx.memory.recall.ranking import Match, fused
from aicx.refs import Ref
from aicx.text import instant, local, shorten

_LONGEST = 400


class Passage(NamedTuple):
    """A passage with how well it matches, or why it may not be shown."""

    entry: MemoryEntry
    match: Match
    blocked: PolicyReason | None


def passages(searcher: Searcher, query: SearchQuery, policy: Policy) -> tuple[list[Passage], str | None]:
    """What the corpus has on a question, and which of its retrievers did not answer.

    Raises AicxError where it cannot be searched.
    """
    report = searcher.search(query)
    return list(_allowed(report.hits, query, policy)), report.oracle_status["fallback_reason"]


def _allowed(hits: Sequence[Hit], query: SearchQuery, policy: Policy) -> Iterator[Passage]:
    for hit in hits:
        entry, match = _entry(hit, query), _match(hit)
        fields = hit.sidecar.fields
        identities = (entry.ref, f"session:{fields['agent']}:{fields['session_id']}")
        blocked = next((why for one in identities if (why := policy.of_source(one, fields["agent"]))), None)
        yield Passage(entry, match, blocked or policy.of_text(entry.statement, entry.topic, hit.said))


def _match(hit: Hit) -> Match:
    """The share of the question's words that it has, on the scale of statements."""
    share = hit.terms_found / hit.terms_asked if hit.terms_asked else 0.0
    dense = max(0.0, min(1.0, hit.votes["dense"].score)) if "dense" in hit.votes and not share else None
    base = fused(share, dense)
    return Match(share, dense, base, hit.decay_factor, base * hit.decay_factor)


def _entry(hit: Hit, query: SearchQuery) -> MemoryEntry:
    fields = hit.sidecar.fields
    at = local(fields["started_at"])
    lane = str(fields.get("lane") or "primary")
    return MemoryEntry(
        ref=str(Ref("chunk", hit.sidecar.id)),
        name=None,
        kind="chunk",
        topic=shorten(hit.title or "", 80),
        statement=shorten(" / ".join(line.text for line in hit.lines), _LONGEST),
        status="candidate",
        freshness=freshness_of(query.now - at),
        tier=TRACE,
        usage="evidence",
        baseline=False,
        reasons=["candidate_not_adopted", *(["subagent_unadopted"] if lane == "subagent" else []), "relevant_match"],
        because=[],
        superseded_by=None,
        source={
            "class": "subagent" if lane == "subagent" else "assistant",
            "at": instant(at),
            "lane": lane,
            "agent": fields["agent"],
            "session": fields["session_id"],
        },
        evidence=[str(Ref.of_session(fields["agent"], fields["session_id"]))],
        score=None,
        repository=fields["project"],
        rev=1,
        pinned=False,
        sightings=1,
    )
