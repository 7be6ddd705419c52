"""`aicx task list`, `show`, `status`, `handoffs` and `areas`: nothing is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import TaskArgument, print_task, warn_of, warn_of_damaged
from aicx.questions import Option
from aicx.text import shorten
from aicx.work.answers import LIST_SCHEMA, SHOW_SCHEMA, STATUS_SCHEMA, entry_of, list_tasks, shown_work, status_of
from aicx.work.record import STATUSES

if TYPE_CHECKING:
    from aicx.work.areas import AreaAnswer
    from aicx.work.handoff import HandoffAnswer

_PARTS = (
    ("claims", "Summed up"),
    ("done", "Done"),
    ("failing", "Fails"),
    ("next", "Next"),
    ("questions", "Open"),
    ("decisions", "Decided"),
    ("starting_points", "Begin at"),
    ("commits", "Commits"),
    ("tests", "Tests"),
)
_GOAL = 160  # characters; a prompt may be long
_AREA_LISTS = (
    ("key_paths", "Files"),
    ("entry_points", "Begin at"),
    ("tests", "Tests"),
    ("commands", "Passed here"),
    ("fragile", "Fragile"),
)
_MAX_SHOWN = 3  # of each list; JSON has more


def list_open(
    every: Annotated[bool, Option("--all", help="Also tasks that are resolved or abandoned.")] = False,
    status: Annotated[
        list[str] | None, Option("--status", metavar="STATUS", help="Only this status; several times.")
    ] = None,
    limit: options.Limit = 50,
    everywhere: Annotated[bool, Option("--everywhere", help="The tasks of all repositories.")] = False,
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
    from aicx.resume.run import open_work

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


def list_handoffs(limit: options.Limit = 5, repo: options.Repo = None, utc: options.Utc = False) -> options.Answered:
    """List what the sessions of this repository left to the next one, the newest first.

    A handoff is derived from each session's log, or stated with `aicx finalize`. Subagents and sessions that a program
    ran leave none. The newest one whose branch is part of what is checked out is offered.

    Example: aicx task handoffs --limit 1
    Example: aicx task handoffs
    """
    from aicx.lifecycle.answers import HANDOFFS_SCHEMA, HandoffsAnswer
    from aicx.lifecycle.handoffs import handoffs

    desk = open_desk(repo)
    with console.count_bar("Reading sessions") as bar:
        items, total, notes = handoffs(desk.settings, desk.folder, desk.now, limit, lambda done, of: bar(done, of, ""))
    yield HANDOFFS_SCHEMA, HandoffsAnswer(items, total, notes)
    for item in items:
        _print(item)
    console.notify_notes(notes)
    if not items:
        console.notify("No session of this repository is stored. `aicx store` adds them.")


def _print(item: HandoffAnswer) -> None:
    style = console.style
    offered = style("  offered here", fg="green") if item.offered else ""
    title = item.goal or (item.summary if item.origin == "stated" else "") or "no goal was said"
    console.out(f"{style(shorten(title, _GOAL), bold=True)}{offered}")
    facts = [item.outcome if item.outcome != "unresolved" else "", item.agent or "", console.when(item.at)]
    facts += [f"on {item.branch}"] if item.branch else []
    facts += ["not part of what is checked out"] if item.compatible is False else []
    if item.origin == "stated":
        facts.insert(0, "stated")
    console.out(f"  {' · '.join(filter(None, facts))}  {style(item.ref, fg='green')}")
    if item.summary and shorten(title, _GOAL) != item.summary:
        console.out(f"  {item.summary}")
    said: set[str] = set()
    for name, heading in _PARTS:
        texts = [text for text in getattr(item, name) if text not in said and not _repeats(item, text)]
        console.out_list(heading, texts)
        said.update(texts)
    console.out()


def _repeats(item: HandoffAnswer, text: str) -> bool:
    return text in item.summary or any(text in one for one in item.done if one != text)


def list_areas(limit: options.Limit = 5, repo: options.Repo = None) -> options.Answered:
    """List the parts of this repository that sessions changed, those that most sessions changed first.

    A part is a folder. Its purpose is what its README, docstring or manifest says. The rest is worked out from the
    stored sessions: the files that most of them changed and opened first, the tests that passed, and the files in
    which failures came up again.

    Example: aicx task areas --limit 3
    Example: aicx task areas
    """
    from aicx.work.areas import SCHEMA, AreasAnswer, areas, purpose_of
    from aicx.work.facts_index import facts_at

    desk = open_desk(repo)
    with console.count_bar("Reading sessions") as bar:
        facts, notes = facts_at(desk.settings, desk.folder, lambda done, of: bar(done, of, ""))
    every = areas(facts)
    items = [replace(area, purpose=purpose_of(desk.place.root, area.id)) for area in every[:limit]]
    yield SCHEMA, AreasAnswer(items, len(every), notes)
    for item in items:
        _print_area(item)
    console.notify_notes(notes)
    if not items:
        console.notify("No stored session changed a file here. `aicx store` adds sessions.")


def _print_area(item: AreaAnswer) -> None:
    failures = f" · {console.plural(item.failures, 'failure')}" if item.failures else ""
    console.out(f"{console.style(item.id, bold=True)}  {console.plural(item.edited_in, 'session')}{failures}")
    if item.purpose:
        console.out(f"  {item.purpose}")
    for name, heading in _AREA_LISTS:
        if found := getattr(item, name)[:_MAX_SHOWN]:
            console.out(f"  {heading}: {', '.join(found)}")
