"""`aicx task resume`: takes a task up again."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import Here, TaskArgument, answer
from aicx.work.state import resume_task


@options.either("task", "--task", "-t")
def command(task: TaskArgument, here: Here = False, repo: options.Repo = None, json: options.Json = False) -> None:
    """Take a task up again in this folder: one that is open, set aside or closed.

    It is then the one that `aicx task update` means without a name, and holds on the branch that is checked out. A
    task that was left on a branch that is not merged here is refused, unless you add --here, as after a squash merge.

    Example: aicx task resume fix-the-export
    Example: aicx task resume 3fa29c01 --here
    """
    desk = open_desk(repo)
    written = resume_task(desk.settings, desk.place, task, desk.now, here=here, notify=console.notify)
    answer(written, "Resumed:", json=json)
