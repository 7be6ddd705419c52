"""`aicx task status`: what is open in a repository."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.task import STATUS_SCHEMA
from aicx.commands.desk import open_desk
from aicx.commands.task.common import print_task, warn_of, warn_of_damaged
from aicx.work.entry import entry_of, status_of


def command(repo: options.Repo = None, utc: options.Utc = False, json: options.Json = False) -> None:
    """Show what is open here: the tasks of this repository that hold on the branch that is checked out.

    Tasks that were left on a branch that is not merged here are listed with the reason, and not used. Without a
    task, the latest session that was left open is shown as a derived one.

    Example: aicx task status
    Example: aicx task status --json
    """
    desk = open_desk(repo)
    # Imported here: not needed for --help.
    from aicx.resume.open_work import open_work

    found = open_work(desk.settings, desk.place, desk.now)
    if json:
        console.out_answer(STATUS_SCHEMA, status_of(found, desk.place))
        return
    for task in found.active:
        print_task(entry_of(task))
        warn_of(task)
    for task in found.waiting:
        console.out(f"{console.style(task.record.ref, fg='cyan')}  {task.record.title} ({task.record.status})")
    for task in found.skipped:
        record = task.record
        console.out(f"{console.style(record.ref, fg='cyan')}  {record.title}")
        console.out(
            console.style(f"  not used here ({task.loading.reason}): {task.loading.warning}", fg="bright_black")
        )
    warn_of_damaged(found.damaged)
    for note in found.notes:
        console.warn(note)
    if not found.active:
        console.notify('No task is open here. Begin one: aicx task start "what is to be reached"')
