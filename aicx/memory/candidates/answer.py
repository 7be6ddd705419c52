"""`aicx.memory-candidates/1`: what the history proposes to keep, each with the words and the places it was found in."""

from __future__ import annotations

from typing import Annotated

from aicx.values import dataclass

SCHEMA = "aicx.memory-candidates/1"


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """A place that a candidate was found in: a chunk, its session and lane, when, and the words there.

    ``outcome`` is that of a command, ``passed`` or ``failed``, null where it is about none.
    """

    ref: Annotated[str, "of the chunk"]
    session: Annotated[str, "reference of its session"]
    at: str
    lane: str
    quote: Annotated[str, "the words there"]
    outcome: Annotated[str | None, "of a command: `passed` or `failed`, else null"]


@dataclass(frozen=True, slots=True)
class CandidateItem:
    """A candidate; nothing but a person makes it a memory. ``reason`` names the rule that found it.

    ``blocked`` where only subagents are behind it: it has to be adopted by name before anything else. ``sightings``
    and ``sessions`` count all of its evidence, of which the latest is listed.
    """

    id: Annotated[str, "of the candidate: the same wherever and however often it is said"]
    kind: Annotated[str, "`policy`, `preference`, `decision`, `procedure`, `fact` or `failure`"]
    topic: Annotated[str, "what it is about"]
    statement: Annotated[str, "what it says"]
    repository: Annotated[str, "whose it is"]
    origin: Annotated[str, "whose words it is made of: `human`, `assistant`, `tool_output` or `subagent`"]
    lane: str
    reason: Annotated[str, "the [rule](memory-candidates.md#candidates) that found it"]
    blocked: Annotated[bool, "whether only subagents are behind it, so that a person has to adopt it by name"]
    sightings: Annotated[int, "in how many places it was found"]
    sessions: Annotated[int, "in how many sessions"]
    claims: Annotated[dict[str, str], "what it chooses in a form that can be compared: key → value"]
    anchors: Annotated[list[str], "paths that it names"]
    evidence: Annotated[list[CandidateEvidence], "the last places it was found in"]


@dataclass(frozen=True, slots=True)
class ExcludedCandidate:
    """A candidate that the memory policy excludes, by id and reason alone."""

    id: Annotated[str, "of the candidate"]
    reason: Annotated[str, "`policy_path`, `policy_source` or `policy_pattern`"]


@dataclass(frozen=True, slots=True)
class CandidatesAnswer:
    """The best candidates; ``matched`` counts all."""

    results: Annotated[int, "number of `candidates`"]
    matched: Annotated[int, "number of candidates without the limit"]
    candidates: Annotated[list[CandidateItem], "the best first"]
    excluded: Annotated[list[ExcludedCandidate], "what the policy excludes"]
    notes: list[str]
