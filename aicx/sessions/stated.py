"""What the event log says of sessions: that they were opened, closed or linked by a person or an agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar, get_args

from aicx.paths import Layout
from aicx.sessions.lineage import EDGE_TYPES, Edge
from aicx.text import instant
from aicx.work.events import WorkEvent, read_about_sessions
from aicx.work.files import every_folder

Outcome = Literal["ok", "error", "canceled", "abandoned"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Word = TypeVar("Word", bound=str)
OPENED, LINKED, CLOSED = "session_opened", "session_linked", "session_closed"


@dataclass(frozen=True, slots=True)
class Life:
    """What was stated of one session: when it was last opened and closed, and how it ended."""

    opened_at: datetime | None = None
    closed_at: datetime | None = None  # None as well where it was opened again after that
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """Everything stated: the life of each session by its reference, the edges, and the pairs that are not to be one."""

    lives: Mapping[str, Life] = field(default_factory=dict)
    edges: Mapping[tuple[str, str], Edge] = field(default_factory=dict)
    removed: frozenset[tuple[str, str]] = frozenset()


def read_stated(layout: Layout) -> Stated:
    """What the event logs of all repositories say of sessions; the last word counts."""
    events = [event for folder in every_folder(layout) for event in read_about_sessions(layout.work / folder)]
    return fold(sorted(events, key=lambda event: (event.at, event.sequence, event.id)))


def fold(events: Iterable[WorkEvent]) -> Stated:
    lives: dict[str, Life] = {}
    edges: dict[tuple[str, str], Edge] = {}
    removed: set[tuple[str, str]] = set()
    for event in events:
        life = lives.get(event.task, Life())
        if event.type == OPENED:
            lives[event.task] = Life(opened_at=event.at)
        elif event.type == CLOSED and (outcome := _one_of(OUTCOMES, event.data.get("status"))) is not None:
            lives[event.task] = replace(life, closed_at=event.at, outcome=outcome)
        elif event.type == LINKED:
            pair = (event.task, str(event.data.get("to")))
            kind = _one_of(EDGE_TYPES, event.data.get("type"))
            edges.pop(pair, None)
            if event.data.get("removed") is True:
                removed.add(pair)
            elif kind is not None:
                removed.discard(pair)
                edges[pair] = Edge(*pair, kind, f"stated by {event.source}", 1.0, "stated", instant(event.at))
    return Stated(lives, edges, frozenset(removed))


def _one_of(known: tuple[Word, ...], word: object) -> Word | None:
    return next((one for one in known if one == word), None)
