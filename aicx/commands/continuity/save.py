"""`aicx continuity save`."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.continuity.common import Log, ScopeOption, answer, open_desk, scope_from
from aicx.continuity.saving import save
from aicx.paths import user_path


def command(
    scope: ScopeOption = "both", log: Log = None, repo: options.Repo = None, json: options.Json = False
) -> None:
    """Add what a session says to the notes, and keep what you wrote, changed or took out in them.

    The session is the one of --log; else the one of a save that failed here; else the latest of this worktree; else the
    one that was saved last. A source that is there and cannot be read is an error: no other one takes its place.

    Example: aicx continuity save
    Example: aicx continuity save --scope local --json
    """
    desk = open_desk(repo)
    path = user_path(log) if log else None
    written = save(desk.settings, desk.place, scope_from(scope), desk.now, log=path, notify=console.notify)
    answer(desk, written, json=json)
