"""Statements that may become a memory once a person adopts them, with evidence, and nothing that grants trust.

`aicx.memory-candidates/1` lists them with the words and the places each was found in. Whether two statements say the
same is decided by their words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Generic, Literal, Protocol, TypeVar

from aicx.evidence.texts import words
from aicx.refs import Ref
from aicx.storage.typed import Called
from aicx.types import Lane
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS

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
SCHEMA = "aicx.memory-candidates/1"


@dataclass(frozen=True, slots=True)
class Sighting:
    """A place that a candidate was found in: a chunk, its session and lane, when, and the words there.

    ``outcome`` is that of a command, ``passed`` or ``failed``, null where it is about none.
    """

    ref: Annotated[Ref, "of the chunk", str]
    session: Annotated[Ref, "reference of its session", str]
    at: datetime
    lane: Annotated[Lane, "`primary` (the agent) or `subagent`", str]
    quote: Annotated[str, "the words there"]
    outcome: Annotated[
        Literal["passed", "failed"] | None, "of a command: `passed` or `failed`, else null", str | None
    ] = None


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
    """A proposal that becomes no record, by its id alone."""

    id: Annotated[str, "of the proposal: 16 hexadecimal digits"]
    reason: Annotated[str, "code of the closed list in [memory.md](memory.md#reasons)"]


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
    evidence: Annotated[list[Sighting], "the last places it was found in"]


@dataclass(frozen=True, slots=True)
class CandidatesAnswer:
    """The best candidates; ``matched`` counts all."""

    results: Annotated[int, "number of `candidates`"]
    matched: Annotated[int, "number of candidates without the limit"]
    candidates: Annotated[list[CandidateItem], "the best first"]
    excluded: Annotated[list[Excluded], "what the policy excludes"]
    notes: list[str]


# The share of words that two statements have in common that say the same.
_SAME = 0.8
# Of a statement the words by which others are looked up that may say the same.
_LOOKED_UP = 3
# How many of those are compared: a word that hundreds share tells them apart no longer.
_COMPARED = 100
_CODE = re.compile(r"`[^`]*`")
# One of these more or less turns a statement around.
NEGATIONS = frozenset({"always", "don't", "never", "no", "not", "only", "without"})


class HasStatement(Protocol):
    """Something that states: a proposal, a record."""

    @property
    def statement(self) -> str: ...
    @property
    def claims(self) -> Mapping[str, str]: ...
    @property
    def kind(self) -> str: ...
    @property
    def repository(self) -> str | None: ...


One = TypeVar("One", bound=HasStatement)


@dataclass(slots=True)
class Statements(Generic[One]):
    """Statements by their rarest words, so that one is compared with few."""

    found: list[One] = field(default_factory=list)
    _words: list[_Words] = field(default_factory=list)
    _places: dict[tuple[str | None, str, str], list[int]] = field(default_factory=dict)
    _last: tuple[HasStatement, _Words] | None = None  # what is looked for is often added next

    def place_of(self, other: HasStatement) -> int | None:
        """The place in ``found`` of the first that says the same, of the same kind and repository."""
        said = self._words_of(other)
        keys = _keys(other, said)
        near = dict.fromkeys(place for key in keys for place in self._places.get(key, ())[-_COMPARED:])
        return next((place for place in near if self._words[place].same(said)), None)

    def add(self, one: One) -> None:
        said = self._words_of(one)
        for key in _keys(one, said):
            self._places.setdefault(key, []).append(len(self.found))
        self.found.append(one)
        self._words.append(said)

    def _words_of(self, one: HasStatement) -> _Words:
        if self._last is None or self._last[0] is not one:
            self._last = one, _Words.of(one)
        return self._last[1]


@dataclass(frozen=True, slots=True)
class _Words:
    """The parts of a statement that are compared: its words, each once, its code and its claims."""

    order: Sequence[str]
    every: frozenset[str]
    telling: frozenset[str]
    code: Sequence[str]
    claims: Mapping[str, str]

    @classmethod
    def of(cls, said: HasStatement) -> _Words:
        return cls(*_words_of(said.statement), dict(said.claims))

    def same(self, other: _Words) -> bool:
        common = self.every & other.every
        if len(common) < _SAME * len(self.every | other.every) or self.claims != other.claims:
            return False
        if self.code != other.code or self.every & NEGATIONS != other.every & NEGATIONS:
            return False
        if self.telling - other.every and other.telling - self.every:  # one has another word in the place of a word
            return False
        # "use X, not Y" and "use Y, not X" have the same words.
        return [word for word in self.order if word in common] == [word for word in other.order if word in common]


@lru_cache(maxsize=1024)
def _words_of(statement: str) -> tuple[Sequence[str], frozenset[str], frozenset[str], Sequence[str]]:
    order = list(dict.fromkeys(words(statement)))
    every = frozenset(order)
    return order, every, every - STOP_WORDS, _CODE.findall(statement)


def _keys(one: HasStatement, said: _Words) -> Iterator[tuple[str | None, str, str]]:
    """Of its words the longest: the rarest, as far as one can tell without counting."""
    longest = sorted(said.every, key=lambda word: (-len(word), word))[:_LOOKED_UP]
    return ((one.repository, one.kind, word) for word in longest)
