"""A session that another member shared, as the answers of `resume` and `why` have it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from aicx.fields import taken_from
from aicx.text import ago, instant, shorten
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.share.sessions import SharedSession

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
