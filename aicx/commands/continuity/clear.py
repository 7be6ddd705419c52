"""`aicx continuity clear`: takes the notes away."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.continuity import CLEAR_SCHEMA, ContinuityCleared
from aicx.commands.continuity.common import ScopeOption, open_desk, scope_from
from aicx.continuity.saving import clear


def command(scope: ScopeOption = "both", repo: options.Repo = None, json: options.Json = False) -> None:
    """Delete the notes, also what you wrote in them. The sessions that they were made from stay.

    Example: aicx continuity clear --scope local
    """
    desk = open_desk(repo)
    gone = [str(path) for path in clear(desk.settings, desk.place, scope_from(scope), desk.now, notify=console.notify)]
    if json:
        console.out_answer(CLEAR_SCHEMA, ContinuityCleared(scope, gone))
        return
    for path in gone:
        console.out(f"deleted: {path}")
    if not gone:
        console.notify("there was no note to delete")
