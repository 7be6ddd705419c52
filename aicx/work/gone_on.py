"""The session that work goes on from, as a brief chooses it, and what of it is sure to be open.

The derived task, the next step, the banner and the brief all take it from here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from aicx.git.branches import CURRENT

if TYPE_CHECKING:
    from aicx.evidence.session_brief import SessionBrief, StateReason
    from aicx.evidence.sessions import SessionRow
    from aicx.evidence.transcript import Statement
    from aicx.git.branches import BranchState
    from aicx.work.record import WorkRecord

_GONE = timedelta(days=2)
# The session that closes a task still says so: it may end this much later.
_LAST_WORDS = timedelta(minutes=10)


class GoneOn(NamedTuple):
    """A session, its brief, and how its branch stands towards the head."""

    session: SessionRow
    brief: SessionBrief
    standing: BranchState


# The sessions that were left out as not merged here, then the one that the work goes on from; notes on what is unread.
Choice = tuple[Sequence[GoneOn], Sequence[str]]
# What git is in the middle of, and what else it shows that a session left; each may be empty.
GitShows = Callable[["SessionRow", "SessionBrief"], tuple[str, str]]


# The tasks that were closed for good last, and when.
Settled = Sequence[tuple["WorkRecord", "datetime"]]


class LeftOpen(NamedTuple):
    """What a session leaves that is sure to be open: the first step, why it counts, and the lines of its log."""

    step: str
    reason: StateReason | Literal["git_shows"]
    lines: tuple[Statement, ...]


def left_open(one: GoneOn, now: datetime, git_shows: GitShows, settled: Settled) -> LeftOpen | None:
    """What a session leaves to do, by its log or by git; None where nothing is sure, as of a session whose work was
    closed since or that a program ran.
    """
    session, brief, standing = one
    if not (brief.goal or brief.asked) or session.automated_why is not None:
        return None
    # Whether the work of a branch that was deleted came in is not known; after days it is not called open.
    if standing == "gone" and now - session.completed_at > _GONE:
        return None
    if any(_is_of(session, record, at) for record, at in settled):
        return None
    begun, left = git_shows(session, brief) if standing in CURRENT else ("", "")
    sure = brief.open_at(now)
    lines = tuple(item.line for item in sure)
    if begun or (left and not sure):
        return LeftOpen(begun or left, "git_shows", lines)
    if not sure:
        return None
    reasons = [item.reason for item in sure]
    return LeftOpen(sure[0].step, brief.state_reason if brief.state_reason in reasons else reasons[0], lines)


def _is_of(session: SessionRow, task: WorkRecord, closed_at: datetime) -> bool:
    """Whether a session worked on a task: the task is from it, or it ended on its branch while the task was open."""
    if session.ref in task.sources:
        return True
    branch = task.git_context.branch if task.git_context else None
    meanwhile = task.created_at <= session.completed_at <= closed_at + _LAST_WORDS
    return meanwhile and branch in (None, session.branch)
