"""`aicx.share/1`: what the commands of a share answer."""

from __future__ import annotations

from typing import Annotated

from aicx.fields import taken_from
from aicx.share.leaving import TakenOut
from aicx.share.push import Pushed, PushPlan, PushSample
from aicx.share.seals import MemberPart, Unsound
from aicx.values import dataclass

SCHEMA = "aicx.share/1"


@dataclass(frozen=True, slots=True)
class SharePushed:
    """The rows that a push sent, or with `--dry-run` would send."""

    dry_run: bool
    projects: Annotated[dict[str, int], "the projects that are shared, with their chunks"]
    new: Annotated[int, "sessions that the share lacked"]
    changed: Annotated[int, "sessions that the share had otherwise"]
    unchanged: Annotated[int, "sessions that the share has as they are"]
    withdrawn: Annotated[int, "sessions taken out, as their project is no longer chosen"]
    forgotten: Annotated[int, "sessions taken out, as the corpus no longer has them"]
    held_back: Annotated[int, "sessions that this member forgot in the share"]
    chunks: Annotated[int, "chunks sent"]
    vectors: Annotated[int, "chunks sent with vectors; the others are found by words"]
    bytes: Annotated[int, "of text"]
    redacted: Annotated[int, "secrets that only the second redaction found"]
    unreadable: Annotated[list[str], "chunks left out, and why"]
    samples: Annotated[list[PushSample], "ten passages, with `--dry-run`"]
    notes: Annotated[list[str], "why vectors were not sent, and why rows are not in the indexes yet"]


@dataclass(frozen=True, slots=True)
class ShareStatus:
    """The contents of a share."""

    address: str
    member: str
    machine: str
    projects: list[str]
    members: Annotated[list[MemberPart], "by member and machine"]
    unindexed: Annotated[int, "rows that are searched one by one until a push folds them into the indexes"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ShareVerified:
    """How the rows compare with their seals."""

    sessions: Annotated[int, "sessions compared"]
    rows: Annotated[int, "rows compared"]
    unsound: Annotated[list[Unsound], "sessions that differ"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ShareLeft:
    """The share that a home left."""

    left: Annotated[str, "its address"]
    erased: Annotated[TakenOut | None, "what was deleted there, with `--erase`"]


def share_pushed(plan: PushPlan, pushed: Pushed, *, dry_run: bool) -> SharePushed:
    return taken_from(
        pushed,
        SharePushed,
        dry_run=dry_run,
        projects=dict(plan.projects),
        new=len(plan.new),
        changed=len(plan.changed),
        unchanged=plan.unchanged,
        withdrawn=len(plan.withdrawn),
        forgotten=len(plan.forgotten),
        held_back=plan.held_back,
        bytes=pushed.size,
    )
