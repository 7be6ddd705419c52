"""`aicx task start`: begins a task."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import answer
from aicx.commands.task.said import Commands, Files, Hypothesis, Next, Sources, paths_from
from aicx.work.patch import Patch
from aicx.work.state import start


def command(
    goal: Annotated[
        str | None,
        typer.Argument(metavar="[GOAL]", help="What is to be reached; by default the open session's goal."),
    ] = None,
    next_: Next = None,
    hypothesis: Hypothesis = None,
    file: Files = None,
    commands: Commands = None,
    source: Sources = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Begin a task: say in a sentence what is to be reached.

    Starting the same goal again in this folder goes on with the task that is open. Without a goal, the task is made
    from the latest session that was left open: its goal, files, checks, failures and next steps. Secrets are redacted.

    Example: aicx task start "Fix the export of empty files" --next "Reproduce it with tests/data/empty.csv"
    Example: aicx task start
    """
    desk = open_desk(repo)
    patch = Patch(
        hypothesis=hypothesis,
        next_action=next_,
        said={"active_files": paths_from(desk.folder, file), "commands": commands or []},
        sources=source or [],
    )
    # Imported here: not needed for --help.
    from aicx.resume.open_work import chosen

    found = chosen(desk.settings, desk.place, desk.now)
    written = start(desk.settings, desk.place, goal, desk.now, patch=patch, gone_on=found, notify=console.notify)
    answer(written, "Begun:" if written.new else "Open already:", json=json)
