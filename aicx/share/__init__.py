"""The shared index: what the machines of a person, or of a team, chose to let one another search.

Every command and server asks it here, where the caller or the settings want it. Most homes are part of no share, so
what asks one is imported only then.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from aicx.config import Settings
from aicx.fields import taken_from
from aicx.text import ago, instant, shorten
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.corpus.catalog.query import MetadataAnswer
    from aicx.filters import Filters
    from aicx.share.asking import AskedShare
    from aicx.share.sessions import SharedSession, SharedSessions


_MAX_TITLE, _MAX_NAME, _MAX_FILES = 100, 200, 8


@dataclass(frozen=True, slots=True)
class TeamSession:
    """A session that another member shared. It is theirs: evidence to check, and in no store of this machine."""

    member: Annotated[str, "who gave it to the share"]
    ref: Annotated[str, "of the session, as its member has it"]
    agent: str
    project: str
    title: str | None
    branch: str | None
    started_at: str
    completed_at: str
    age: Annotated[str, "how long ago it ended, as `2 hours ago`"]
    ties: Annotated[
        list[str],
        "what it has to do with the question: `named` (its text has the commit or number), `task`, `files`, `branch`,"
        " `repository`",
    ]
    files: Annotated[list[str], "files asked about that it touched"]
    said: Annotated[str, "its line about the question, or what its agent said last; may be empty"]


def team_session(one: SharedSession, now: datetime) -> TeamSession:
    """The session as answers have it, every text on one line."""
    return taken_from(
        one,
        TeamSession,
        project=shorten(one.project, _MAX_NAME),
        title=shorten(one.title, _MAX_TITLE) if one.title else None,
        branch=shorten(one.branch, _MAX_NAME) if one.branch else None,
        started_at=instant(one.started_at, "seconds"),
        completed_at=instant(one.completed_at, "seconds"),
        age=ago(one.completed_at, now),
        ties=[str(tie) for tie in one.ties],
        files=[shorten(name, _MAX_NAME) for name in one.files[:_MAX_FILES]],
    )


def team_line(one: TeamSession) -> str:
    """The session on one line of a quotation: whose it is and how old, what it did and said, and its reference."""
    branch = f", branch `{one.branch}`" if one.branch else ""
    files = f", touched {', '.join(f'`{name}`' for name in one.files)}" if one.files else ""
    said = f" → {one.said}" if one.said else ""
    return f"{one.member}, {one.age}, {one.agent}{branch}{files}: {one.title or 'untitled'}{said} ({one.ref})"


def passages_of_team(settings: Settings, *, team: bool) -> AskedShare | None:
    """The share for one search; None where it is not wanted. Raises NotFound where the home is part of none."""
    if not (team or settings.team):
        return None
    from aicx.share.asking import asked_share

    return asked_share(settings)


def sessions_of_team(settings: Settings, *, team: bool) -> SharedSessions | None:
    """The same for the sessions that a brief or a reason names."""
    if not (team or settings.team):
        return None
    from aicx.share.sessions import SharedSessions

    return SharedSessions(settings)


def list_chunks(settings: Settings, filters: Filters, limit: int, *, team: bool) -> MetadataAnswer:
    """The newest chunks that the filters let through, with those of other members where they are wanted."""
    if not (team or settings.team):
        from aicx.corpus.catalog.query import steer

        return steer(settings.layout, filters, limit)
    from aicx.share.sessions import steer_team

    return steer_team(settings, filters, limit)
