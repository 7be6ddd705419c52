"""`aicx task list`: the tasks of a repository, also those that are closed."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.task import LIST_SCHEMA, TaskList
from aicx.commands.desk import open_desk
from aicx.commands.task.common import warn_of_damaged
from aicx.text import local
from aicx.work.entry import damaged_of, row_of
from aicx.work.listing import list_tasks
from aicx.work.record import STATUSES


def command(
    every: Annotated[bool, typer.Option("--all", help="Also tasks that are resolved or abandoned.")] = False,
    status: Annotated[
        list[str] | None, typer.Option("--status", metavar="STATUS", help="Only this status; several times.")
    ] = None,
    limit: options.Limit = 50,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="The tasks of all repositories.")] = False,
    repo: options.Repo = None,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """List tasks, the last changed first.

    Example: aicx task list
    Example: aicx task list --status resolved --limit 5
    """
    for name in status or []:
        options.one_of(name, STATUSES, "is not a status", "--status")
    desk = open_desk(repo)
    place = None if everywhere else desk.place
    found = list_tasks(desk.settings, place, desk.now, status or (), every=every, limit=limit)
    rows = [row_of(record, loading) for record, loading in found.tasks]
    if json:
        console.out_answer(LIST_SCHEMA, TaskList(rows, found.total, limit, damaged_of(found.damaged)))
        return
    for row in rows:
        where = f"  on {row.branch}" if row.branch else ""
        mark = f"  not used here: {row.reason}" if row.loadable is False else ""
        of = f"  {row.project or row.repo_id}" if everywhere else ""
        facts = f"{row.status.replace('_', ' ')}{where}  {local(row.updated_at):%Y-%m-%d %H:%M}{of}{mark}"
        console.out(f"{console.style(row.ref, fg='cyan')}  {row.title}  {console.style(facts, fg='bright_black')}")
    warn_of_damaged(found.damaged)
    if found.total > len(rows):
        console.notify(f"{len(rows)} of {found.total:,} tasks; --limit shows more.")
    if not rows:
        console.notify('No task fits. `aicx task list --all` shows closed ones; begin one: aicx task start "…"')
