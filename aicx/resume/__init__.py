"""The use case behind `aicx resume`: git, the corpus, search and the repository map in one report; here its query."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aicx.values import dataclass
from retrieval.decay import PROFILES, Decay

if TYPE_CHECKING:
    from aicx.engine.search import Mode
    from aicx.share.sessions import SharedSessions


# What even an empty brief takes: its head, and in JSON every key.
MIN_TOKENS = 500


class Limits(NamedTuple):
    """At most so many of each; the budget may leave less."""

    files: int = 10
    symbols: int = 6
    recalled: int = 6
    related: int = 2
    others: int = 6
    memory: int = 6
    team: int = 3

    @classmethod
    def full(cls) -> Limits:
        return cls(files=25, symbols=15, recalled=15, related=5, others=15, memory=20, team=10)


@dataclass(frozen=True, slots=True)
class ResumeQuery:
    """The question: for a folder, or for a project when its folder is not at hand. ``branch`` wins over git's."""

    now: datetime
    task: str = ""
    folder: Path | None = None
    project: str | None = None
    also: tuple[str, ...] = ()  # further repositories whose sessions count as this one's
    branch: str | None = None
    mode: Mode = "auto"
    decay: Decay | None = PROFILES["gentle"]  # of passages
    since: datetime | None = None
    agent: str | None = None
    exclude_session: tuple[str, ...] = ()  # beginnings of ids
    outside: bool = True  # whether commands that are configured may be asked
    team: SharedSessions | None = None  # the share that is asked too
    limits: Limits = field(default_factory=Limits)
