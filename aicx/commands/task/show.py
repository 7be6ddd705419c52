"""`aicx task show`: one task whole."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.task import SHOW_SCHEMA
from aicx.commands.desk import open_desk
from aicx.commands.task.common import TaskArgument, print_task, warn_of
from aicx.text import local
from aicx.work.showing import shown_work


@options.either("task", "--task", "-t")
def command(
    task: TaskArgument, repo: options.Repo = None, utc: options.Utc = False, json: options.Json = False
) -> None:
    """Show one task whole, open or closed, with the evidence of what it says and everything that happened to it.

    Example: aicx task show fix-the-export
    """
    desk = open_desk(repo)
    whole, found = shown_work(desk.settings, desk.place, desk.now, task)
    if json:
        console.out_answer(SHOW_SCHEMA, whole)
        return
    print_task(whole.task)
    for item in (item for item in whole.items if item.evidence):
        console.out(console.style(f"  {item.text}: {', '.join(item.evidence)}", fg="bright_black"))
    for event in whole.events:
        fields = f": {', '.join(event.fields)}" if event.fields else ""
        console.out(console.style(f"  {local(event.at):%Y-%m-%d %H:%M}  {event.type}{fields}", fg="bright_black"))
    if found.loading.loadable:
        warn_of(found)
    else:
        console.warn(f"not used here ({found.loading.reason}): {found.loading.warning}")
