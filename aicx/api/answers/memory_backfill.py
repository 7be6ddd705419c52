"""`aicx.memory-backfill/1`: what of the history's proposals becomes records."""

from __future__ import annotations

from typing import Annotated, Literal

from aicx.values import dataclass

SCHEMA = "aicx.memory-backfill/1"


@dataclass(frozen=True, slots=True)
class BackfillItem:
    """A proposal, and what importing it does."""

    ref: Annotated[str, "of the record that it becomes, or of the one that says it already"]
    state: Annotated[
        Literal["new", "seen", "known"],
        "`new`: a candidate is made; `seen`: a record that says it has more evidence; `known`: nothing is new",
    ]
    kind: Annotated[str, "of the record"]
    topic: Annotated[str, "what it is about"]
    statement: Annotated[str, "what it says"]
    repository: Annotated[str | None, "whose record it is"]
    lane: Annotated[str, "`subagent` where nothing but subagents are behind it, else `primary`"]
    blocked: Annotated[bool, "whether only subagents are behind it, so that a person has to adopt it by name"]
    sightings: Annotated[int, "in how many places it was found"]
    evidence: Annotated[list[str], "the chunks it was found in"]


@dataclass(frozen=True, slots=True)
class BackfillLeft:
    """A proposal that does not become a record."""

    id: Annotated[str, "of the proposal"]
    reason: Annotated[str, "code of the closed list in [memory.md](memory.md#reasons)"]


@dataclass(frozen=True, slots=True)
class BackfillAnswer:
    """What was imported, or would be. Nothing of it is believed before a person accepts it."""

    dry_run: bool
    counts: Annotated[dict[str, int], "state → number of proposals"]
    items: Annotated[list[BackfillItem], "what becomes a record or belongs to one, the best first"]
    left: Annotated[list[BackfillLeft], "what the policy excludes, was deleted, or belongs to a folder that is gone"]
    notes: list[str]
