"""What a session is told at its start: the banner, once, and the brief as `aicx resume` gives it."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.git.state import Git, GitProbe
from aicx.paths import NON_REPOSITORY

if TYPE_CHECKING:
    from aicx.resume.select.report import ResumeReport

# Claude Code puts longer context into a file and shows the model its beginning.
MAX_CHARACTERS = 9_500
_BUDGETS = (2000, 1500, 1000, 500)  # tokens
_UNPLAIN = re.compile(r"[^\w.+@~-]+")


def startup_text(
    settings: Settings,
    agent: str,
    folder: Path,
    now: datetime,
    *,
    session: str | None = None,
    banner: bool = True,
) -> str:
    """The context of a session that begins in ``folder``, of at most MAX_CHARACTERS.

    ``session`` is its own id, of which nothing is quoted. Everything from logs and git is between fences. Raises
    UsageError for a folder that cannot be read.
    """
    look = GitProbe(Git(folder.absolute()))
    # Imported here: git is at work meanwhile.
    from aicx.resume.brief.output import markdown_brief
    from aicx.resume.query import ResumeQuery
    from aicx.resume.run import resume

    query = ResumeQuery(now=now, folder=folder, exclude_session=(session,) if session else ())
    report = resume(settings, query, look)
    lines = [banner_text(settings, agent, report, session)] if banner else []
    text = ""
    for budget in _BUDGETS:
        brief = markdown_brief(settings, report, budget).text.decode("utf-8", "replace")
        text = "\n\n".join([*lines, brief])
        if len(text) <= MAX_CHARACTERS:
            break
    return text


def banner_text(settings: Settings, agent: str, report: ResumeReport, session: str | None) -> str:
    """The line that opens a session, with its number among those of the repository that are stored."""
    named = report.project if report.project not in (None, NON_REPOSITORY) else report.folder
    name = _UNPLAIN.sub("_", (named or "").rstrip("/").rsplit("/", 1)[-1]) or "_"
    return f"{agent}@{name} · session #{_earlier(settings, report, session) + 1} · awake"


def _earlier(settings: Settings, report: ResumeReport, session: str | None) -> int:
    """How many other sessions of the repository are stored."""
    from aicx.corpus.catalog.query import open_catalog
    from aicx.evidence.sessions import MAX_SESSIONS, Scope, count_sessions

    if report.session_count < MAX_SESSIONS - 1:
        return report.session_count
    # The report looks at the newest ones alone.
    scope = Scope(report.project, (report.folder,) if report.folder else ())
    with open_catalog(settings.layout) as opened:
        return count_sessions(opened.catalog, scope, report.now, but=session)
