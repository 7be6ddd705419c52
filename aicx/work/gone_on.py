"""The session that work goes on from, as a brief chooses it: what the derived task and the next step are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from aicx.evidence.session_brief import SessionBrief
    from aicx.evidence.sessions import SessionRow
    from aicx.git.branches import BranchState


class GoneOn(NamedTuple):
    """A session, its brief, and how its branch stands towards the head."""

    session: SessionRow
    brief: SessionBrief
    standing: BranchState


# The sessions that were left out as not merged here, then the one that the work goes on from; notes on what is unread.
Choice = tuple[Sequence[GoneOn], Sequence[str]]
