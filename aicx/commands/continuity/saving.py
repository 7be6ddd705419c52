"""`aicx task note save`, `refresh` and `clear`: what writes notes, or takes them away."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.continuity.reading import Log, ScopeOption, answer, scope_from
from aicx.commands.desk import open_desk
from aicx.continuity import saving
from aicx.continuity.answers import CLEAR_SCHEMA, ContinuityCleared
from aicx.continuity.logs import WriteMode
from aicx.paths import user_path


def save(scope: ScopeOption = "both", log: Log = None, repo: options.Repo = None, json: options.Json = False) -> None:
    """Add what a session says to the notes, and keep what you wrote, changed or took out in them.

    The session is the one of --log; else the one of a save that failed here; else the latest of this worktree; else the
    one that was saved last. A source that is there and cannot be read is an error: no other one takes its place.

    Example: aicx task note save
    Example: aicx task note save --scope local --json
    """
    _write("merge", scope, log, repo, json=json)


def refresh(
    scope: ScopeOption = "both", log: Log = None, repo: options.Repo = None, json: options.Json = False
) -> None:
    """Make the notes anew from one session. What they said before is gone, what you wrote in them too.

    The session is the one of --log; else the one of a refresh that failed here; else the one that was saved last in
    this worktree and scope; else the latest of this worktree. A source that is there and cannot be read is an error: no
    other one takes its place, and the notes stay as they are.

    Example: aicx task note refresh
    Example: aicx task note refresh --scope local --json
    """
    _write("replace", scope, log, repo, json=json)


def clear(scope: ScopeOption = "both", repo: options.Repo = None) -> options.Answered:
    """Delete the notes, also what you wrote in them. The sessions that they were made from stay.

    Example: aicx task note clear --scope local
    Example: aicx task note clear --scope local --json
    """
    desk = open_desk(repo)
    gone = [
        str(path)
        for path in saving.clear(desk.settings, desk.place, scope_from(scope), desk.now, notify=console.notify)
    ]
    yield CLEAR_SCHEMA, ContinuityCleared(scope, gone)
    for path in gone:
        console.out(f"deleted: {path}")
    if not gone:
        console.notify("there was no note to delete")


def _write(mode: WriteMode, scope: str, log: str | None, repo: str | None, *, json: bool) -> None:
    desk = open_desk(repo)
    path = user_path(log) if log else None
    written = saving.save(
        desk.settings, desk.place, scope_from(scope), desk.now, mode=mode, log=path, notify=console.notify
    )
    answer(desk, written, json=json)
