"""`aicx.manifest/1`: everything that was considered for a brief, once each, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from aicx.fields import INLINE
from aicx.values import dataclass

SCHEMA = "aicx.manifest/1"

Included = Literal["full", "partial", "none"]


@dataclass(frozen=True, slots=True)
class ManifestQuery:
    """What was asked for, where and when."""

    task: str
    project: str | None
    branch: str | None
    head: str | None
    now: str
    agent: str | None


@dataclass(frozen=True, slots=True)
class ManifestBudget:
    unit: Literal["tokens"]
    limit: int
    used: int


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One thing that was looked at; ``left_out`` says why it is not there. ``facts`` are those of its kind."""

    ref: str
    kind: str
    included: Included
    reasons: Sequence[str]
    left_out: str | None
    score: float | None
    items_total: int
    items_shown: int
    bytes: int
    facts: Mapping[str, Any] | None = field(default=None, metadata=INLINE)


@dataclass(frozen=True, slots=True)
class ManifestLine:
    """A line that is printed: how it was found, in what, and the references that prove it."""

    section: str
    slot: str
    found_by: str
    entry: str
    refs: Sequence[str]


@dataclass(frozen=True, slots=True)
class ManifestSection:
    name: str
    considered: int
    rendered: int
    omitted: int


@dataclass(frozen=True, slots=True)
class ManifestExclusions:
    by_reason: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ManifestLanes:
    unavailable: Sequence[str]


@dataclass(frozen=True, slots=True)
class ManifestOutput:
    """The brief without any manifest."""

    format: str
    sha256: str
    bytes: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """The selection of one brief, as a value that can be read again later."""

    schema: str
    id: str
    purpose: Literal["resume"]
    query: ManifestQuery
    generated_at: str
    write_mode: Literal["read_only"]
    budget: ManifestBudget
    method: Mapping[str, Any]
    entries: Sequence[ManifestEntry]
    lines: Sequence[ManifestLine]
    sections: Sequence[ManifestSection]
    exclusions: ManifestExclusions
    lanes: ManifestLanes
    output: ManifestOutput
