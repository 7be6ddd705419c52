"""`aicx task list`, `show` and `status`: nothing is written."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import TaskArgument, print_task, warn_of, warn_of_damaged
from aicx.work.answers import LIST_SCHEMA, SHOW_SCHEMA, STATUS_SCHEMA, entry_of, list_tasks, shown_work, status_of
from aicx.work.record import STATUSES


def list_open(
    every: Annotated[bool, typer.Option("--all", help="Also tasks that are resolved or abandoned.")] = False,
    status: Annotated[
        list[str] | None, typer.Option("--status", metavar="STATUS", help="Only this status; several times.")
    ] = None,
    limit: options.Limit = 50,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="The tasks of all repositories.")] = False,
    repo: options.Repo = None,
    utc: options.Utc = False,
) -> options.Answered:
    """List tasks, the last changed first.

    Example: aicx task list
    Example: aicx task list --status resolved --limit 5
    """
    for name in status or []:
        options.one_of(name, STATUSES, "is not a status", "--status")
    desk = open_desk(repo)
    place = None if everywhere else desk.place
    found = list_tasks(desk.settings, place, desk.now, status or (), every=every, limit=limit)
    yield LIST_SCHEMA, found
    for row in found.tasks:
        where = f"  on {row.branch}" if row.branch else ""
        mark = f"  not used here: {row.reason}" if row.loadable is False else ""
        of = f"  {row.project or row.repo_id}" if everywhere else ""
        facts = f"{row.status.replace('_', ' ')}{where}  {console.when(row.updated_at)}{of}{mark}"
        console.out(f"{console.style(row.ref, fg='cyan')}  {row.title}  {console.style(facts, fg='bright_black')}")
    warn_of_damaged(found.damaged)
    if found.total > len(found.tasks):
        console.notify(f"{len(found.tasks)} of {found.total:,} tasks; --limit shows more.")
    if not found.tasks:
        console.notify('No task fits. `aicx task list --all` shows closed ones; begin one: aicx task start "…"')


def status(repo: options.Repo = None, utc: options.Utc = False) -> options.Answered:
    """Show what is open here: the tasks of this repository that hold on the branch that is checked out.

    Tasks that were left on a branch that is not merged here are listed with the reason, and not used. Without a
    task, the latest session that was left open is shown as a derived one.

    Example: aicx task status
    Example: aicx task status --json
    """
    desk = open_desk(repo)
    from aicx.resume.open_work import open_work

    found = open_work(desk.settings, desk.place, desk.now)
    yield STATUS_SCHEMA, status_of(found, desk.place)
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


@options.either("task", "--task", "-t")
def show(task: TaskArgument, repo: options.Repo = None, utc: options.Utc = False) -> options.Answered:
    """Show one task whole, open or closed, with the evidence of what it says and everything that happened to it.

    Example: aicx show fix-the-export
    """
    desk = open_desk(repo)
    whole, found = shown_work(desk.settings, desk.place, desk.now, task)
    yield SHOW_SCHEMA, whole
    print_task(whole.task)
    for item in (item for item in whole.items if item.evidence):
        console.out(console.style(f"  {item.text}: {', '.join(item.evidence)}", fg="bright_black"))
    for event in whole.events:
        fields = f": {', '.join(event.fields)}" if event.fields else ""
        console.out(console.style(f"  {console.when(event.at)}  {event.type}{fields}", fg="bright_black"))
    if found.loading.loadable:
        warn_of(found)
    else:
        console.warn(f"not used here ({found.loading.reason}): {found.loading.warning}")
