"""`aicx.sessions/1`: which sessions there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any

from aicx.fields import INLINE
from aicx.sources.reopen import reopen_command
from aicx.values import dataclass

SCHEMA = "aicx.sessions/1"


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session in a list; all of it counts, whatever was filtered for."""

    agent: str
    session_id: str
    started_at: str
    completed_at: str
    chunks: int
    messages: int
    title: str | None
    project: Annotated[str, "the first of its `projects`"]
    projects: Annotated[list[str], "the repositories it is filed under"]
    lane: str
    branch: Annotated[str | None, "the last git branch"]
    cwd: Annotated[str | None, "the first working folder"]
    parent_session: str | None
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]


@dataclass(frozen=True, slots=True)
class SessionItem:
    """A session in a list; all of it counts, whatever was filtered for."""

    facts: SessionRow = field(metadata=INLINE)
    reopen: str | None


@dataclass(frozen=True, slots=True)
class SessionsPage:
    """A part of a list of sessions."""

    matched: int
    offset: int
    items: Annotated[list[SessionRow], "sessions in the order asked for"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
    """A part of a list of sessions."""

    results: int
    matched: int
    offset: int
    items: Annotated[list[SessionItem], "sessions in the order asked for"]
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
