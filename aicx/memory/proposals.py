"""Statements that may become a memory once a person adopts them, with evidence, and nothing that grants trust."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from hashlib import sha256
from typing import Literal

from aicx.evidence.texts import words
from aicx.memory.sameness import Statements
from aicx.refs import Ref
from aicx.storage.texts import Called
from aicx.types import Lane
from aicx.values import dataclass

ProposalKind = Literal["policy", "preference", "decision", "procedure", "fact", "failure"]
# Whose words a proposal is made of.
OriginClass = Literal["human", "assistant", "tool_output", "subagent"]
# The rule that found it.
ProposalReason = Literal[
    "person_stated",  # a person wrote it in a prompt
    "person_answered",  # a person chose it when an agent asked
    "passed_after_failure",  # a check of everything that failed and later passed, in several sessions
    "prepared_check",  # what let a check pass with nothing edited meanwhile
    "recurring_failure",  # what a check found in several sessions, and no longer at their end
    "named_limit",  # an agent stated what something named cannot do
    "cause_and_fix",  # an agent reported why something failed and what it changed
    "agent_choice",  # an agent chose between two ways and said why
    "noted",  # a continuity note has it
]

MAX_STATEMENT = 300


@dataclass(frozen=True, slots=True)
class Sighting:
    """One place in the history that a proposal was found at; ``session`` is its reference, ``quote`` its words.

    ``outcome`` is that of a command, where the proposal is about one.
    """

    ref: Ref
    session: Ref
    at: datetime
    lane: Lane
    quote: str
    outcome: Literal["passed", "failed"] | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A statement worth keeping, of one repository (``owner/name``, or a folder), seen at least once.

    ``lane`` is ``subagent`` where nothing but subagents is behind it. ``anchors`` are paths that the statement names.
    """

    statement: str
    kind: ProposalKind
    topic: str
    origin: OriginClass
    lane: Lane
    reason: ProposalReason
    repository: Called
    sightings: tuple[Sighting, ...]
    claims: Mapping[str, str] = field(default_factory=dict)
    anchors: tuple[str, ...] = ()

    @property
    def evidence(self) -> tuple[Ref, ...]:
        """The chunks that it was found in, each once."""
        return tuple(dict.fromkeys(sighting.ref for sighting in self.sightings))

    @property
    def sessions(self) -> int:
        return len({sighting.session for sighting in self.sightings})

    @property
    def last_seen(self) -> datetime:
        return max(sighting.at for sighting in self.sightings)

    def latest(self, limit: int) -> list[Sighting]:
        """The last sightings, the latest first, those of primary sessions before those of subagents.

        Where a command failed as well, the latest failure is among them.
        """
        ordered = sorted(self.sightings, key=lambda one: (one.lane == "subagent", -one.at.timestamp()))
        failed = next((one for one in ordered if one.outcome == "failed"), None)
        if failed is None or failed in ordered[:limit]:
            return ordered[:limit]
        return [*ordered[: limit - 1], failed]

    @property
    def blocked(self) -> bool:
        """Whether it is out of bounds until a person adopts it by name."""
        return self.lane == "subagent"

    @property
    def id(self) -> str:
        """16 hexadecimal digits of repository, kind and words: the same wherever and however often it is said."""
        key = "\0".join((self.repository, self.kind, *words(self.statement)))
        return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Excluded:
    """A proposal that becomes no record, by its id alone. ``reason`` is a code of `aicx.memory.reasons`."""

    id: str
    reason: str


def joined(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The proposals, each once: those that say the same of one repository are one with all sightings.

    What a primary session said comes before what a subagent said, and the earlier before the later.
    """
    known: Statements[Proposal] = Statements()
    for proposal in sorted(proposals, key=_precedence):
        same = known.place_of(proposal)
        if same is None:
            known.add(proposal)
        else:
            known.found[same] = _with(known.found[same], proposal.sightings)
    return known.found


def _precedence(proposal: Proposal) -> tuple[bool, datetime, str]:
    first = min(sighting.at for sighting in proposal.sightings if sighting.lane == proposal.lane)
    return proposal.blocked, first, proposal.statement


def _with(proposal: Proposal, more: Sequence[Sighting]) -> Proposal:
    every = dict.fromkeys((*proposal.sightings, *more))
    return replace(proposal, sightings=tuple(sorted(every, key=lambda one: (one.lane == "subagent", one.at))))
