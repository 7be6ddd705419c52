"""Whether a session is open: as was stated, or else as what came after it tells."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Literal

from aicx.sessions.stated import Life, Outcome
from aicx.values import dataclass

State = Literal["open", "closed"]
Inferred = Literal["idle", "successor"]
IDLE = timedelta(hours=24)  # a session without a message for this long is not taken up again as a rule
# A log goes on for a moment after its session was closed.
_LAST_WORDS = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class SessionStanding:
    """Where a session stands."""

    state: Annotated[State, "`open` or `closed`"]
    outcome: Annotated[Outcome | None, "how it ended, as stated by `aicx sessions close`; else null, never guessed"]
    close_inferred: Annotated[
        Inferred | None,
        "why it counts as closed though nothing states it: `idle` for 24 hours, or another one goes on with it"
        " (`successor`)",
    ]
    closed_at: Annotated[datetime | None, "when it was stated to be closed"]


def standing_of(life: Life, last_active: datetime | None, now: datetime, *, followed: bool) -> SessionStanding:
    """The standing of a session. ``last_active`` is when its log was last written, None for one that is not stored.

    ``followed`` says whether another session continues it. What was stated counts until the session goes on after it.
    """
    if life.closed_at is not None and (last_active is None or last_active <= life.closed_at + _LAST_WORDS):
        return SessionStanding("closed", life.outcome, None, life.closed_at)
    if followed:
        return SessionStanding("closed", None, "successor", None)
    seen = max((at for at in (last_active, life.opened_at) if at is not None), default=None)
    if seen is None or now - seen > IDLE:
        return SessionStanding("closed", None, "idle", None)
    return SessionStanding("open", None, None, None)
