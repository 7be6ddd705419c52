"""`aicx.sessions/1`: which sessions there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aicx.api.answers import INLINE
from aicx.sources.reopen import reopen_command

SCHEMA = "aicx.sessions/1"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list; all of it counts, whatever was filtered for.

    ``automated_why`` is the evidence that a program ran it. ``runs`` counts the sessions of one prompt that the item
    speaks for, named in ``run_ids`` where there are several.
    """

    agent: str
    session_id: str
    started_at: str
    completed_at: str
    chunks: int
    messages: int
    title: str | None
    project: str
    projects: list[str]
    lane: str
    branch: str | None
    cwd: str | None
    parent_session: str | None
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]


@dataclass(frozen=True, slots=True)
class SessionItem:
    """A session with the agent's own command to open it again, null where there is none."""

    facts: SessionRow = field(metadata=INLINE)
    reopen: str | None


@dataclass(frozen=True, slots=True)
class SessionsPage:
    """A part of a list of sessions, from ``offset`` on; ``matched`` counts all."""

    matched: int
    offset: int
    items: list[SessionRow]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
    """A part of a list of sessions, from ``offset`` on; ``matched`` counts all."""

    results: int
    matched: int
    offset: int
    items: list[SessionItem]
    notes: list[str]


def sessions_answer(page: SessionsPage) -> SessionsAnswer:
    items = [
        SessionItem(one, reopen_command(one.agent, one.session_id, one.lane, one.parent_session)) for one in page.items
    ]
    return SessionsAnswer(len(items), page.matched, page.offset, items, page.notes)


def sessions_page(found: Mapping[str, Any]) -> SessionsPage:
    """The answer of `aicx.corpus.catalog.sessions.browse`."""
    return SessionsPage(
        found["matched"], found["offset"], [SessionRow(**item) for item in found["items"]], found["notes"]
    )
