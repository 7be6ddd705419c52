"""Shared by the actions: their options, the place they are about, and how a task is printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from aicx import console, options
from aicx.questions import Argument, Option
from aicx.work.files import DamagedFile
from aicx.work.place import Loaded
from aicx.work.state import Written

if TYPE_CHECKING:
    from aicx.work.answers import TaskEntry

TaskArgument = Annotated[
    str, Argument(metavar="TASK", help="A task's id, the beginning of it, or the words of its title.")
]
OptionalTask = Annotated[
    str | None, Argument(metavar="[TASK]", help="A task's id or title; by default the one that was last begun here.")
]
Here = Annotated[
    bool, Option("--here", help="Also where it was left on a branch that is not merged here: a person's decision.")
]
_COLORS = {"in_progress": "green", "paused": "yellow", "blocked": "red"}
_LISTS = (
    ("active_files", "Files"),
    ("verified", "Verified"),
    ("unverified", "Not verified"),
    ("failing", "Fails"),
    ("blocked", "Blocked by"),
    ("discarded_paths", "Given up"),
    ("next_steps", "Then"),
    ("questions", "Questions"),
    ("decisions", "Decided"),
    ("commits", "Commits"),
    ("commands", "Commands"),
    ("risks", "Risks"),
    ("sources", "From"),
)


def answer(written: Written, done: str) -> options.Answered:
    """Prints what a command made of a task."""
    # Imported here: `aicx resume --next` prints no task.
    from aicx.work.answers import CHANGE_SCHEMA, change_of

    change = change_of(written)
    yield CHANGE_SCHEMA, change
    print_task(change.task)
    warn_of(Loaded(written.record, written.loading))
    for field, texts in change.left_out.items():
        console.warn(f"not taken into {field}, which is full or for files of the repository alone: {', '.join(texts)}")
    if change.others:
        console.notify(f"note: {console.plural(len(change.others), 'other task')} open here; name the one you mean")
    changed = ", ".join(change.changed_fields) or "nothing, it was all known"
    console.notify(f"{console.style(done, fg='green', bold=True)} {change.task.ref}; changed: {changed}.")


def print_task(entry: TaskEntry) -> None:
    """A task on as many lines as it has something to say."""
    style = console.style
    where = entry.git_context.branch if entry.git_context and entry.git_context.branch else None
    facts = [entry.status.replace("_", " "), *([f"on {where}"] if where else [])]
    facts.append(console.when(entry.updated_at))
    if entry.derived_because is not None:
        derived = f"derived from the session, which counts as open because {entry.derived_because}"
        facts.append(entry.derived_because if entry.origin == "stated" else derived)
    console.out(f"{style(entry.ref, fg='cyan')}  {style(entry.title, bold=True)}")
    console.out(f"  {style(' · '.join(facts), fg=_COLORS.get(entry.status, 'bright_black'))}")
    if entry.goal != entry.title:
        console.out(f"  Goal: {entry.goal}")
    if entry.next_action:
        console.out(f"  Next: {entry.next_action}")
    if entry.hypothesis:
        console.out(f"  Hypothesis: {entry.hypothesis}")
    if entry.closing_note:
        console.out(f"  Note: {entry.closing_note}")
    at_end = entry.origin == "stated" and entry.derived_because is not None
    for name, heading in _LISTS:
        is_candidate = at_end and name == "decisions"
        console.out_list(f"{heading} (candidates, not accepted yet)" if is_candidate else heading, getattr(entry, name))
    console.out_list("Uncertain", [one.claim for one in entry.uncertainties])


def warn_of(task: Loaded) -> None:
    """Says what to look out for in a task that may be used."""
    if task.loading.warning and task.loading.reason not in ("no_git_context", "git_unavailable"):
        console.warn(f"{task.record.ref}: {task.loading.warning}")


def warn_of_damaged(found: Sequence[DamagedFile]) -> None:
    for one in found:
        console.warn(f"{one.path} cannot be read as a task and is left as it is: {one.why}")
