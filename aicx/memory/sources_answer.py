"""`aicx.memory-sources/1`: the live sources of a repository, by name and without their content."""

from __future__ import annotations

from typing import Annotated

from aicx.values import dataclass

SCHEMA = "aicx.memory-sources/1"


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A live source: ``policy`` is ``allowed`` or ``blocked``, ``reason`` why nothing of it is used.

    ``sha256`` is null for a file that was not opened. ``statements`` are those that recall may quote.
    """

    id: Annotated[str, "such as `live:claude:CLAUDE.md`"]
    source: Annotated[str, "whose file it is"]
    path: Annotated[str, "the file"]
    kind: Annotated[str, "what sort of file it is"]
    sha256: Annotated[str | None, "of its content, null where it was not opened"]
    mtime: Annotated[str | None, "when it changed last, null where it is not known"]
    size: Annotated[int | None, "in bytes, null where it is not known"]
    policy: Annotated[str, "`allowed` or `blocked`"]
    reason: Annotated[str | None, "why nothing of it is used, or null"]
    statements: Annotated[int, "number of statements that recall may quote"]


@dataclass(frozen=True, slots=True)
class BlockedItem:
    """A statement that the policy keeps out of every answer, by reference and reason alone."""

    ref: Annotated[str, "of the statement"]
    reason: Annotated[str, "code of the closed list"]


@dataclass(frozen=True, slots=True)
class SourcesAnswer:
    """The live sources that are there. ``policies`` are the policy files that count, ``policy_sha256`` their rules."""

    repository: Annotated[str, "the repository's folder"]
    sources: Annotated[list[SourceItem], "the files that are there"]
    blocked: Annotated[list[BlockedItem], "statements that the policy excludes"]
    policies: Annotated[list[str], "the policy files that count"]
    policy_sha256: Annotated[str, "of their rules"]
