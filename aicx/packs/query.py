"""The request for a pack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Literal, get_args

from aicx.errors import UsageError
from aicx.packs.answers import PackNote
from aicx.text import day_bounds
from aicx.values import dataclass

Scope = Literal["workspace", "family", "auto"]
Applied = Literal["workspace", "family"]
Mode = Literal["deterministic", "llm", "llm_cleanup"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class PackLimits:
    """How many there may be of each.

    ``items`` are of a list of a family, ``chosen`` owners that its summary names. Only the ``looked_at`` sessions that
    were active last are considered.
    """

    sessions: int = 5
    handoffs: int = 10
    files: int = 12
    commits_per_file: int = 3
    commits: int = 10
    anchors: int = 8
    notes: int = 5
    memory: int = 8
    owners: int = 500
    chosen: int = 6
    items: int = 8
    looked_at: int = 2000


@dataclass(frozen=True, slots=True)
class Period:
    """Days, of which either end may be open. The last one counts too."""

    first: str | None = None
    last: str | None = None
    begin: datetime | None = None
    end: datetime | None = None

    @classmethod
    def of(cls, first: str | None, last: str | None) -> Period:
        """The time from one ISO day to another. Raises UsageError for what is no day, or ends before it begins."""
        begin = _day(first)[0] if first else None
        end = _day(last)[1] if last else None
        if begin is not None and end is not None and begin >= end:
            raise UsageError(f"{first} is after {last}", hint="--date-from is the earlier day, or the same")
        return cls(first, last, begin, end)

    def holds(self, started_at: str, ended_at: str) -> bool:
        """Whether something between two ISO instants touches this time."""
        after = self.begin is None or datetime.fromisoformat(ended_at) >= self.begin
        return after and (self.end is None or datetime.fromisoformat(started_at) < self.end)


@dataclass(frozen=True, slots=True)
class PackQuery:
    """A request for a pack, with its own clock.

    ``task`` names one; None for the one that is worked on. ``notes`` are further ones for its pack. With ``known_only``
    no session is read that is not known yet, and neither the map nor the memory is asked, for hooks.
    """

    folder: Path
    now: datetime
    task: str | None = None
    focus: str = ""
    period: Period = field(default_factory=Period)
    scope: Scope = "auto"
    limits: PackLimits = field(default_factory=PackLimits)
    notes: Sequence[PackNote] = ()
    known_only: bool = False
    progress: Callable[[int, int], None] | None = None


def _day(text: str) -> tuple[datetime, datetime]:
    try:
        return day_bounds(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day", hint="write 2026-03-31") from error
