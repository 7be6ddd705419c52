"""`aicx continuity refresh`."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.continuity.common import Log, ScopeOption, answer, open_desk, scope_from
from aicx.continuity.saving import refresh
from aicx.paths import user_path


def command(
    scope: ScopeOption = "both", log: Log = None, repo: options.Repo = None, json: options.Json = False
) -> None:
    """Make the notes anew from one session. What they said before is gone, what you wrote in them too.

    The session is the one of --log; else the one of a refresh that failed here; else the one that was saved last in
    this worktree and scope; else the latest of this worktree. A source that is there and cannot be read is an error: no
    other one takes its place, and the notes stay as they are.

    Example: aicx continuity refresh
    Example: aicx continuity refresh --scope local --json
    """
    desk = open_desk(repo)
    path = user_path(log) if log else None
    written = refresh(desk.settings, desk.place, scope_from(scope), desk.now, log=path, notify=console.notify)
    answer(desk, written, json=json)
