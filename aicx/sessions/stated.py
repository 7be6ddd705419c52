"""Statements of the event log about sessions: opened, closed or linked by a person or an agent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar, get_args

from aicx.paths import Layout
from aicx.sessions import EDGE_TYPES, Edge
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.events import WorkEvent, is_log, read_about_sessions
from aicx.work.files import every_folder

Outcome = Literal["ok", "error", "canceled", "abandoned"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Word = TypeVar("Word", bound=str)
OPENED, LINKED, CLOSED = "session_opened", "session_linked", "session_closed"
State = Literal["open", "closed"]
Inferred = Literal["idle", "successor"]
IDLE = timedelta(hours=24)  # a session without a message for this long is not taken up again as a rule
# A log goes on for a moment after its session was closed.
_LAST_WORDS = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Life:
    """The life of one session as stated: when it was last opened and closed, and how it ended."""

    opened_at: datetime | None = None
    closed_at: datetime | None = None  # None as well where it was opened again after that
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class StatedSessions:
    """Everything stated: the life of each session by its reference, the edges, and the pairs that are not to be one.

    ``ends`` are the edges by the session at either end of them.
    """

    lives: Mapping[str, Life] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()
    ends: Mapping[str, Sequence[Edge]] = field(default_factory=dict)
    removed: frozenset[tuple[str, str]] = frozenset()


def read_stated(layout: Layout) -> StatedSessions:
    """Returns what the event logs of all repositories say of sessions; the last word counts."""
    return _read(tuple(_stamps(layout)))


def _stamps(layout: Layout) -> Iterator[tuple[str, int, int]]:
    for folder in every_folder(layout):
        with suppress(OSError), os.scandir(layout.work / folder) as entries:
            for entry in entries:
                if is_log(entry.name):
                    status = entry.stat()
                    yield entry.path, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=2)
def _read(stamps: tuple[tuple[str, int, int], ...]) -> StatedSessions:
    """The files as they are with these sizes and times; a server asks for the same again and again."""
    events = [event for path, _, _ in stamps for event in read_about_sessions(Path(path))]
    return fold(sorted(events, key=lambda event: (event.at, event.sequence, event.id)))


def fold(events: Iterable[WorkEvent]) -> StatedSessions:
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
    ends: dict[str, list[Edge]] = {}
    for pair, edge in edges.items():
        for ref in pair:
            ends.setdefault(ref, []).append(edge)
    return StatedSessions(lives, tuple(edges.values()), ends, frozenset(removed))


def _one_of(known: tuple[Word, ...], word: object) -> Word | None:
    return next((one for one in known if one == word), None)


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
