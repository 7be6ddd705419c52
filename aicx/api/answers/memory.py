"""`aicx.memory-*/1`: records with what may be believed of them, in one shape wherever they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ENTRY_SCHEMA = "aicx.memory-entry/1"
GET_SCHEMA = "aicx.memory-get/1"
LIST_SCHEMA = "aicx.memory-list/1"
HISTORY_SCHEMA = "aicx.memory-history/1"
STATS_SCHEMA = "aicx.memory-stats/1"


@dataclass(frozen=True, slots=True)
class MemoryScore:
    """How well a record matched a question, by lane; null where a lane did not answer."""

    lexical: float | None
    dense: float | None
    fused: float
    decay: float
    final: float


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A record. ``statement`` is null where it may not be shown; ``score`` where nothing was asked.

    ``reasons`` are codes of the closed list in docs/memory.md, the deciding one first; ``because`` repeats the ``code``
    of those that are about something, such as the ``anchor`` that changed, and names it.
    ``source`` has ``class``, ``at`` and ``lane``; ``path``, ``sha256``, ``agent`` and ``session`` where they are known.
    """

    ref: str
    name: str | None
    kind: str
    topic: str
    statement: str | None
    status: str
    freshness: str
    tier: int
    usage: str
    baseline: bool
    reasons: list[str]
    because: list[dict[str, Any]]
    superseded_by: str | None
    source: dict[str, Any]
    evidence: list[str]
    score: MemoryScore | None
    repository: str | None
    rev: int
    pinned: bool
    sightings: int


@dataclass(frozen=True, slots=True)
class EntryAnswer:
    """What a command made or changed."""

    entry: MemoryEntry
    notes: list[str]


@dataclass(frozen=True, slots=True)
class MemoryAnchor:
    """What a record rests on. ``state`` is current, relocated, changed, missing, moved, unreadable or unchecked.

    ``now`` has the ``lines`` or the ``path`` where they differ.
    """

    path: str
    lines: list[int] | None
    state: str
    now: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class GetAnswer:
    """One record whole."""

    entry: MemoryEntry
    details: list[str]
    tags: list[str]
    claims: dict[str, str]
    anchors: list[MemoryAnchor]
    validity: dict[str, Any]
    validation: list[dict[str, Any]]
    supersedes: list[str]
    environment_negative: bool
    adoption: dict[str, Any]
    hold: dict[str, Any] | None
    path: str


@dataclass(frozen=True, slots=True)
class Pagination:
    total: int
    offset: int
    limit: int
    has_more: bool


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """Records that fit; ``suppressed`` counts by status what is only listed when its status is asked for."""

    entries: list[MemoryEntry]
    pagination: Pagination
    suppressed: dict[str, int]
    repository: str | None


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One thing that happened to a record. It holds no text of it."""

    id: str
    at: str
    by: str
    type: str
    refs: list[str]
    code: str | None


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """Every event about a record, oldest first, and who stands behind it now."""

    ref: str
    events: list[MemoryEvent]
    damaged_lines: list[int]


@dataclass(frozen=True, slots=True)
class StatsAnswer:
    """Counts of all records of the scope."""

    records: int
    baseline: int
    by_status: dict[str, int]
    by_kind: dict[str, int]
    by_reason: dict[str, int]
    by_repository: dict[str, int]
    events: int
    damaged_lines: list[int]
    repository: str | None
