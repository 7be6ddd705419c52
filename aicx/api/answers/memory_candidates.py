"""`aicx.memory-candidates/1`: what the history proposes to keep, each with the words and the places it was found in."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "aicx.memory-candidates/1"


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """A place that a candidate was found in: a chunk, its session and lane, when, and the words there.

    ``outcome`` is that of a command, ``passed`` or ``failed``, null where it is about none.
    """

    ref: str
    session: str
    at: str
    lane: str
    quote: str
    outcome: str | None


@dataclass(frozen=True, slots=True)
class CandidateItem:
    """A candidate; nothing but a person makes it a memory. ``reason`` names the rule that found it.

    ``blocked`` where only subagents are behind it: it has to be adopted by name before anything else. ``sightings``
    and ``sessions`` count all of its evidence, of which the latest is listed.
    """

    id: str
    kind: str
    topic: str
    statement: str
    repository: str
    origin: str
    lane: str
    reason: str
    blocked: bool
    sightings: int
    sessions: int
    claims: dict[str, str]
    anchors: list[str]
    evidence: list[CandidateEvidence]


@dataclass(frozen=True, slots=True)
class ExcludedCandidate:
    """A candidate that the memory policy excludes, by id and reason alone."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CandidatesAnswer:
    """The best candidates; ``matched`` counts all."""

    results: int
    matched: int
    candidates: list[CandidateItem]
    excluded: list[ExcludedCandidate]
    notes: list[str]
