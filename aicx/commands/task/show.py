"""`aicx task show`: one task whole."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.task import SHOW_SCHEMA, TaskEvent, TaskWhole
from aicx.commands.task.common import TaskArgument, open_desk, print_task, warn_of
from aicx.text import instant, local
from aicx.work.entry import entry_of, items_of
from aicx.work.events import read_log
from aicx.work.files import path_of
from aicx.work.finding import find_task
from aicx.work.loading import Loaded
from aicx.work.place import looking


def command(
    task: TaskArgument, repo: options.Repo = None, utc: options.Utc = False, json: options.Json = False
) -> None:
    """Show one task whole, open or closed, with the evidence of what it says and everything that happened to it.

    Example: aicx task show fix-the-export
    """
    desk = open_desk(repo)
    layout = desk.settings.layout
    record = find_task(layout, desk.place.folders, task)
    with looking(desk.place, desk.now) as present:
        found = Loaded(record, present.loading(record))
    log = read_log(layout.work / record.repo_id)
    events = [
        TaskEvent(one.id, instant(one.at), one.type, one.status or "", one.rev, one.source, one.fields)
        for one in log.about(record.id)
    ]
    whole = TaskWhole(entry_of(found), items_of(record), events, log.damaged, f"work/{path_of(record)}")
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
