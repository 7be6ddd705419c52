"""`aicx resume --next`: what to do next in this repository."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.task.common import warn_of
from aicx.text import local
from aicx.work.place import is_stated, next_steps


def command(repo: options.Repo = None, limit: options.Limit = 10, json: options.Json = False) -> None:
    """Say what to do next here: the next action of the task that is open.

    Where the task names none, it is the first thing that it leaves undone: a next step, a failure, a question, or what
    is not verified. Without a task it is from the session that `aicx resume` goes on from, if that was left open, and
    says so. Where nothing is sure to be open, it says that. Tasks that were left on branches which are not merged here
    follow, up to the limit, each with where it was left.

    Example: aicx resume --next
    Example: aicx resume --next --json
    """
    desk = open_desk(repo)
    from aicx.resume.run import NOTHING_OPEN, open_work

    found = open_work(desk.settings, desk.place, desk.now)
    steps = next_steps(found.active[:limit])
    if json:
        # Imported here: text does without the classes of the answer.
        from aicx.work.answers import NEXT_SCHEMA, NextAnswer, skipped_of, step_of

        made = [step_of(step) for step in steps]
        skipped = [skipped_of(task) for task in found.skipped[:limit]]
        console.out_answer(NEXT_SCHEMA, NextAnswer(made[0] if made else None, made, skipped, found.notes))
        return
    if not steps:
        console.out(NOTHING_OPEN)
    for step in steps:
        record, derived = step.task.record, step.task.derived
        # What is derived may be months old.
        why = record.title
        if derived:
            since = f"{local(record.updated_at):%Y-%m-%d}"
            why = f"{since}: {derived}" if is_stated(step.task) else f"derived from {since}, open because {derived}"
        console.out(f"{step.text}  {console.style(f'({record.ref}: {why})', fg='bright_black')}")
        warn_of(step.task)
    left = [task for task in found.skipped if is_stated(task)]
    for task in left[: max(0, limit - len(steps))]:
        where = console.style(f"({task.record.ref}: {task.loading.warning})", fg="bright_black")
        console.out(f"Not here: {task.record.title}  {where}")
    for note in found.notes:
        console.warn(note)
    if len(found.active) > limit:
        console.notify(f"{limit} of {len(found.active):,} open tasks; --limit shows more.")
    if found.skipped:
        count = console.plural(len(found.skipped), "task")
        console.notify(f"{count} left on other branches not used here: aicx task status")
