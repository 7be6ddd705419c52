"""`aicx.memory-sources/1`: the live sources of a repository, by name and without their content."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "aicx.memory-sources/1"


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A live source: ``policy`` is ``allowed`` or ``blocked``, ``reason`` why nothing of it is used.

    ``sha256`` is null for a file that was not opened. ``statements`` are those that recall may quote.
    """

    id: str
    source: str
    path: str
    kind: str
    sha256: str | None
    mtime: str | None
    size: int | None
    policy: str
    reason: str | None
    statements: int


@dataclass(frozen=True, slots=True)
class BlockedItem:
    """What the policy keeps out of every answer, by reference and reason alone."""

    ref: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourcesAnswer:
    """The live sources that are there. ``policies`` are the policy files that count, ``policy_sha256`` their rules."""

    repository: str
    sources: list[SourceItem]
    blocked: list[BlockedItem]
    policies: list[str]
    policy_sha256: str
