"""`aicx task close`: closes a task, or sets it aside."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import Here, OptionalTask, answer
from aicx.work.record import CLOSINGS
from aicx.work.state import close


@options.either("task", "--task", "-t")
def command(
    task: OptionalTask = None,
    status: Annotated[
        str, typer.Option("--status", metavar="STATUS", help=f"One of {', '.join(CLOSINGS)}.")
    ] = "resolved",
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What to remember of how it ended.")] = "",
    here: Here = False,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Close a task as resolved or abandoned, or set it aside as blocked or paused.

    Without TASK, the task is closed that was last begun here. Closing the same twice changes nothing. With
    `aicx task resume` you take up each of them again.

    Example: aicx task close --status resolved --note "merged as 3fa29c0"
    Example: aicx task close fix-the-export --status blocked --note "waits for the new API"
    """
    closing = options.one_of(status, CLOSINGS, "closes no task", "--status")
    desk = open_desk(repo)
    written = close(desk.settings, desk.place, task, closing, desk.now, note=note, here=here, notify=console.notify)
    answer(written, "Closed:" if not written.record.is_open else "Set aside:", json=json)
