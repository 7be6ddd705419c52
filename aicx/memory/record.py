"""A record: what was stated, where it is from, what it rests on, and what its sidecar claims was decided about it.

Nothing here is a label. What may be believed of a record is derived by `aicx.memory.assess` each time it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, get_args

import orjson

from aicx.memory.reasons import Reason
from aicx.storage.texts import Called, Made
from aicx.text import instant
from aicx.values import dataclass

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
