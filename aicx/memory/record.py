"""A record: what was stated, where it is from, what it rests on, and what its sidecar claims was decided about it.

Nothing here is a label. What may be believed of a record is derived by `aicx.memory.assess` each time it is read, for
reasons of the closed list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, get_args

import orjson

from aicx.storage.typed import Called, Made
from aicx.text import instant
from aicx.values import dataclass

# Code -> what it means. Nothing else is ever a reason; docs/memory.md has the same list.
REASONS: Mapping[str, str] = {
    # why a record is believed, or stands where it does
    "adopted": "a person accepted exactly this revision, by name",
    "pinned": "a person pinned it",
    "anchor_relocated": "the anchored lines are elsewhere in the same file, word for word",
    "validation_doubted": "a model says that it no longer holds, and nobody has looked since",
    # not believed yet
    "candidate_not_adopted": "nobody has accepted it yet",
    "subagent_unadopted": "a subagent said it, and nobody has accepted it",
    "revision_not_adopted": "its text or its conditions changed since a person accepted it",
    "adoption_unproven": "its sidecar claims a decision that is not among the events that this home wrote",
    "advisory_source": "it repeats an instruction file, whose owner is the file",
    # no longer believed
    "superseded": "a person put another record in its place",
    "expired": "its last day has passed",
    "ttl_expired": "more time has passed since it was confirmed than it was given",
    "anchor_changed": "the lines or the file it is anchored to changed",
    "anchor_missing": "the file it is anchored to is gone",
    "anchor_moved": "the file it is anchored to was renamed",
    "anchor_unchecked": "its repository is not at hand, so its anchors cannot be compared",
    "validation_required": "it has to be validated, and was not lately",
    "validation_failed": "its last validation failed",
    "contradicts_repo": "the repository's current content says otherwise",
    "conflict": "another accepted record of the same topic says otherwise",
    # kept apart
    "archived": "it was archived",
    "rejected": "a person rejected it",
    "erased": "it was deleted, and its files came back by another way",
    "quarantined_manual": "it is on hold",
    "quarantined_secret": "its text holds what looks like a secret",
    "quarantined_injection": "its text imitates the structure of a prompt",
    "malformed": "its files cannot be read as a record",
    # may not be shown
    "policy_path": "the policy excludes its path",
    "policy_source": "the policy excludes its source",
    "policy_pattern": "the policy excludes text like it",
    "policy_unreadable": "the policy of its repository cannot be understood",
    "outside_repo": "it is outside the repository",
    "unsafe_symlink": "a link leads out of the repository",
    "unreadable": "it cannot be read as text",
    # why it was, or was not, selected
    "selected": "it was selected",
    "relevant_match": "its words or its meaning match",
    "anchor_match": "it is anchored to a file that is at hand",
    "required_section": "its section is always shown",
    "not_matched": "it does not match",
    "below_threshold": "it matches too weakly",
    "over_limit": "more matched than were asked for",
    "over_budget": "there was no room left",
    "duplicate": "another record says the same",
    "low_signal": "it says too little",
    "branch_unsafe": "it is about another branch",
    "scope_mismatch": "it is about another repository",
    "lane_unavailable": "a way of searching was not available",
    "redacted_partial": "a secret was taken out of it",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A code of `REASONS`, with what it is about: a path, lines, another record. Never free text."""

    code: Made
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        assert self.code in REASONS, self.code


Kind = Literal[
    "policy", "procedure", "fact", "decision", "preference", "failure",
    "reference", "eval", "reflection", "example", "note",
]  # fmt: skip
Origin = Literal["human", "instruction_file", "tool_output", "assistant", "subagent", "import", "eval"]
Lane = Literal["primary", "subagent"]
AdoptionState = Literal["proposed", "adopted", "rejected"]
Retention = Literal["live", "archived"]
Result = Literal["pass", "fail"]

KINDS: tuple[Kind, ...] = get_args(Kind)
ORIGINS: tuple[Origin, ...] = get_args(Origin)
MAX_STATEMENT = 300  # characters
PREFIX = "mem:"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a record is from. ``origin`` and ``lane`` are of the record itself, never of the file it came in."""

    origin: Origin
    lane: Lane = "primary"
    agent: Called | None = None
    session: Called | None = None
    path: str | None = None
    sha256: Made | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in its repository that a record rests on: a file, or its lines ``first`` to ``last``, by their SHA-256.

    ``commit`` is the head when it was anchored, by which a renamed file is found again.
    """

    path: str
    sha256: Made
    first: int | None = None
    last: int | None = None
    commit: Made | None = None

    def __str__(self) -> str:
        return self.path if self.first is None else f"{self.path}#L{self.first}-L{self.last}"


@dataclass(frozen=True, slots=True)
class Validity:
    """Until when it holds: a day, seconds since it was last confirmed, or only with a passing validation."""

    until: datetime | None = None
    ttl: int | None = None
    requires_validation: bool = False


@dataclass(frozen=True, slots=True)
class Validation:
    at: datetime
    by: str
    method: str
    result: Result
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hold:
    """Why it is kept apart; only a person releases it."""

    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Adoption:
    """The decision that the sidecar claims: a cache of the events, which alone count."""

    state: AdoptionState = "proposed"
    by: str | None = None
    at: datetime | None = None
    why: str | None = None


# Never compared nor printed, and making the methods for that would take part of every cold start.
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Record:
    """One record. ``repository`` is ``owner/repo`` or a folder's id, None for one that holds everywhere.

    ``path`` is that of its Markdown below ``memory/``. ``flaws`` are findings in its files that keep it apart.
    ``by_hand`` says that its Markdown was edited since the sidecar was written.
    """

    id: Made
    repository: Called | None
    kind: Kind
    topic: str
    statement: str
    source: Source
    created_at: datetime
    rev: int = 1
    name: str | None = None
    details: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    claims: Mapping[str, str] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    validity: Validity = field(default_factory=Validity)
    supersedes: tuple[str, ...] = ()
    environment_negative: bool = False
    sightings: int = 1
    updated_at: datetime | None = None
    adoption: Adoption = field(default_factory=Adoption)
    hold: Hold | None = None
    pinned: bool = False
    retention: Retention = "live"
    last_event: Made | None = None  # of the log: one that the log lacks means that something decided is not known
    validation: tuple[Validation, ...] = ()
    path: Made = ""
    flaws: tuple[Reason, ...] = ()
    by_hand: bool = False
    digest: Made = ""  # see `digest_of`; made when it is read or written, so that assessing costs no hashing
    extra: Mapping[str, Any] = field(default_factory=dict)  # fields of the sidecar that this version does not know
    host: Called | None = None  # of the repository's remote; None where it has none, or of a record from before

    @property
    def ref(self) -> str:
        return f"{PREFIX}{self.id}"


def place_of(repository: str | None, host: str | None) -> str | None:
    """Where a record holds, in one word: ``acme/widgets@github.com``; None for everywhere."""
    return None if repository is None else f"{repository}@{host or ''}"


def digest_of(record: Record) -> str:
    """A hash of everything that a person decides on when accepting: a decision holds for these bytes and no others.

    What may grow without a new decision is left out: evidence, sightings, the name, tags, and the decisions themselves.
    """
    source, validity = record.source, record.validity
    decided = [
        *(record.id, record.repository, record.kind, record.topic, record.statement, record.details),
        sorted(record.claims.items()),
        [(anchor.path, anchor.sha256, anchor.first, anchor.last) for anchor in record.anchors],
        (validity.until and instant(validity.until), validity.ttl, validity.requires_validation),
        *(sorted(record.supersedes), record.environment_negative, instant(record.created_at)),
        (source.origin, source.lane),
        *([record.host] if record.host is not None else []),
    ]
    return sha256(orjson.dumps(decided)).hexdigest()[:32]
