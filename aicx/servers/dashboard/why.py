"""`aicx why` for the page, which names a repository as the corpus does and not by a folder of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import NotFound, UsageError
from aicx.share.wanted import sessions_of_team
from aicx.why.answer import WhyAnswer, answer_why
from aicx.why.run import WhyQuery
from aicx.work.place import find_place, project_of

# Folders of a repository that are looked at, the latest first: worktrees come and go.
_MAX_FOLDERS = 20


def explain(
    settings: Settings, target: str, project: str | None, limit: int, now: datetime, *, team: bool
) -> WhyAnswer:
    """The answer. Raises what `aicx.why.run.why` raises."""
    folder = at_hand(settings, project) if project else None
    share = sessions_of_team(settings, team=team)
    return answer_why(settings, WhyQuery(target, now, folder, limit, project=project, team=share))


def started_in(settings: Settings) -> str | None:
    """The name of the repository that the server was started in, if it was in one."""
    with suppress(NotFound, UsageError, OSError):
        here = find_place(settings, Path.cwd())
        return project_of(settings, here) or here.repo_id
    return None


def at_hand(settings: Settings, project: str) -> Path | None:
    """Where a repository is on this machine: the folder that the server was started in if it is that one's."""
    if project == started_in(settings):
        return Path.cwd()
    with suppress(NotFound):  # nothing is stored yet
        return folder_of(settings, project)
    return None


def folder_of(settings: Settings, project: str) -> Path | None:
    """Where sessions of a repository worked last and it still is; None where this machine does not have it."""
    return next(folders_of(settings, project), None)


def folders_of(settings: Settings, project: str) -> Iterator[Path]:
    """The folders in which sessions of a repository worked and it still is, the latest first."""
    with open_catalog(settings.layout) as opened:
        decisions = load_decisions(settings.layout.projects)
        rows = opened.catalog.rows(
            "SELECT cwd FROM chunks WHERE project=? AND ignored=0 AND cwd IS NOT NULL GROUP BY cwd"
            " ORDER BY max(started_at) DESC LIMIT ?",
            (project, _MAX_FOLDERS),
        )
        for folder in (Path(row["cwd"]) for row in rows):
            if folder.is_absolute() and os.access(folder, os.X_OK) and folder.is_dir():
                identity = place_of(opened.catalog, settings.user_home, decisions, str(folder))
                if identity is not None and identity.project == project:
                    yield folder
