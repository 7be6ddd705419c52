"""`aicx.task-*/1` and `aicx.next/1`: tasks with whether their state may be used here, in one shape wherever shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated

from aicx.config import Settings
from aicx.fields import taken_from
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.events import WorkEvent, read_log
from aicx.work.files import EVERY, FOLDERS, TASKS, DamagedFile, every_folder, find_task, path_of, read_all
from aicx.work.place import Loaded, Loading, NextStep, WorkPlace, is_stated, looking
from aicx.work.record import OPEN, GitContext, Section, WorkRecord
from aicx.work.state import OpenTasks, Written

STATUS_SCHEMA = "aicx.task-status/1"
LIST_SCHEMA = "aicx.task-list/1"
SHOW_SCHEMA = "aicx.task-show/1"
CHANGE_SCHEMA = "aicx.task-change/1"
NEXT_SCHEMA = "aicx.next/1"


@dataclass(frozen=True, slots=True)
class TaskGit:
    """The state of git when a task was written, or now."""

    available: Annotated[bool, "whether git said anything"]
    branch: Annotated[str | None, "git branch; null where the head is detached"]
    head: Annotated[str | None, "the commit that is checked out; null before the first"]
    dirty: Annotated[bool | None, "whether there are changes that are not committed; null where that is not known"]
    changed_files: Annotated[Sequence[str], "up to 64 of the changed files, from the repository's folder"]
    captured_at: Annotated[str, "when git was asked"]
    reason: Annotated[str | None, "why git said nothing, or null"]


@dataclass(frozen=True, slots=True)
class TaskUncertainty:
    claim: Annotated[str, "what is not certain"]
    confidence: Annotated[str | None, "`low`, `medium`, `high`, or null"]
    needs_validation: Annotated[bool | None, "whether it has to be looked into; null where nothing was said"]


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """A task. ``origin`` is ``derived`` for the latest open session of a repository without a task that may be used."""

    ref: Annotated[str, "its reference, such as `work:3fa29c01d5e2`; that of the session for a derived one"]
    id: Annotated[str | None, "its id; null for a derived one"]
    origin: Annotated[str, "`stated` or `derived`"]
    derived_because: Annotated[str | None, "why the session counts as open; null for a stated one"]
    title: Annotated[str, "its goal in a line; of a derived task the title of its session"]
    slug: Annotated[str, "the title as it may be written to name the task"]
    status: Annotated[str, "`in_progress`, `paused`, `blocked`, `resolved` or `abandoned`"]
    goal: Annotated[str, "what is to be reached"]
    goal_source: Annotated[str, "`stated`, or the session that it was taken from"]
    hypothesis: Annotated[str, "what is believed to be so at present"]
    next_action: Annotated[str, "what is to be done next"]
    active_files: Annotated[Sequence[str], "files that are worked on, from the repository's folder"]
    verified: Annotated[Sequence[str], "what was proved"]
    unverified: Annotated[Sequence[str], "what was not proved yet"]
    discarded_paths: Annotated[Sequence[str], "what was tried and given up"]
    uncertainties: Annotated[Sequence[TaskUncertainty], "what is not certain"]
    commands: Annotated[Sequence[str], "commands that help"]
    risks: Annotated[Sequence[str], "what may go wrong"]
    failing: Annotated[Sequence[str], "what fails"]
    blocked: Annotated[Sequence[str], "what keeps it from going on"]
    next_steps: Annotated[Sequence[str], "what is still to be done"]
    questions: Annotated[Sequence[str], "questions without an answer"]
    decisions: Annotated[Sequence[str], "what was decided"]
    commits: Annotated[Sequence[str], "what was committed"]
    sources: Annotated[Sequence[str], "references of sessions and chunks that it is from"]
    closing_note: Annotated[str, "what was said when it was closed"]
    repo_id: Annotated[str, "the repository's id on this machine"]
    worktree_id: Annotated[str, "the id of the working folder that it was last begun in"]
    project: Annotated[str | None, "what the corpus calls the repository"]
    created_at: Annotated[str, "when it was begun"]
    updated_at: Annotated[str, "when it was last changed"]
    rev: Annotated[int, "its revision, from 1"]
    git_context: Annotated[TaskGit | None, "what git said when it was last changed"]
    loading: Annotated[Loading, "whether it may be used here and now"]


@dataclass(frozen=True, slots=True)
class SkippedTask:
    """A task that may not be used here: it is listed, and nothing changes it."""

    ref: Annotated[str, "its reference"]
    id: Annotated[str | None, "its id; null for a derived one"]
    origin: Annotated[str, "`stated` or `derived`"]
    title: Annotated[str, "its goal in a line"]
    status: Annotated[str, "its status"]
    reason: Annotated[str, "`branch_mismatch_unmerged` or `dirty_branch_mismatch`"]
    warning: Annotated[str | None, "the same in words"]
    saved_branch: Annotated[str | None, "the branch that it was left on"]
    current_branch: Annotated[str | None, "the branch that is checked out"]
    saved_head: Annotated[str | None, "the commit that it was left at"]
    current_head: Annotated[str | None, "the commit that is checked out"]
    updated_at: Annotated[str, "when it was last changed"]


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """The open tasks of a repository."""

    active: Annotated[Sequence[TaskEntry], "tasks that may be used here, those of this worktree first"]
    skipped: Annotated[Sequence[SkippedTask], "tasks that may not, and why"]
    waiting: Annotated[Sequence[TaskEntry], "tasks that are paused or blocked"]
    damaged: Annotated[Sequence[DamagedFile], "files that cannot be read as tasks"]
    repo_id: Annotated[str, "the repository's id on this machine"]
    worktree_id: Annotated[str, "the working folder's id"]
    root: str
    git: Annotated[TaskGit, "what git says now"]
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class TaskRow:
    ref: Annotated[str, "its reference"]
    id: Annotated[str, "its id"]
    title: Annotated[str, "its goal in a line"]
    status: Annotated[str, "its status"]
    next_action: Annotated[str, "what is to be done next"]
    branch: Annotated[str | None, "the branch that it was left on"]
    loadable: Annotated[bool | None, "whether it may be used here and now; null with `--everywhere`"]
    reason: Annotated[str | None, "why, as in `status`; null with `--everywhere`"]
    repo_id: Annotated[str, "the repository's id on this machine"]
    worktree_id: Annotated[str, "the id of the working folder that it was last begun in"]
    project: Annotated[str | None, "what the corpus calls the repository"]
    created_at: Annotated[str, "when it was begun"]
    updated_at: Annotated[str, "when it was last changed"]


@dataclass(frozen=True, slots=True)
class TaskList:
    tasks: Annotated[Sequence[TaskRow], "the tasks, the last changed first"]
    total: Annotated[int, "number of tasks that fit"]
    limit: Annotated[int, "number of tasks asked for"]
    damaged: Annotated[Sequence[DamagedFile], "files that cannot be read as tasks"]


@dataclass(frozen=True, slots=True)
class TaskItem:
    """One thing that is known of a task."""

    id: Annotated[str, "the item's id, by which `--drop` takes it out"]
    section: Annotated[str, "the list that it is in"]
    text: Annotated[str, "what it says"]
    at: Annotated[str, "when it was said first"]
    origin: Annotated[str, "`stated` or `derived`"]
    evidence: Annotated[Sequence[str], "references that prove it"]
    seen: Annotated[int, "how often it was seen"]


@dataclass(frozen=True, slots=True)
class TaskWhole:
    """One task whole, with everything that happened to it."""

    task: Annotated[TaskEntry, "the task"]
    items: Annotated[Sequence[TaskItem], "what is known of it, with evidence"]
    events: Annotated[Sequence[WorkEvent], "oldest first"]
    damaged_lines: Annotated[Sequence[str], "lines of the log that cannot be read, as `file:line`"]
    path: Annotated[str, "its file, from the corpus's folder"]


@dataclass(frozen=True, slots=True)
class TaskChange:
    """The change that a command made of a task."""

    task: Annotated[TaskEntry, "the task as it is now"]
    new: Annotated[bool, "whether it did not exist before"]
    changed_fields: Annotated[Sequence[str], "what changed; empty where everything was known already"]
    left_out: Annotated[
        Mapping[str, list[str]], "field → what was not taken in: paths outside the repository, or a list that is full"
    ]
    others: Annotated[Sequence[str], "further open tasks that could have been meant"]


@dataclass(frozen=True, slots=True)
class NextStepAnswer:
    text: Annotated[str, "what to do"]
    field: Annotated[str, "the field of the task that says so"]
    origin: Annotated[str, "`stated` or `derived`"]
    task: Annotated[str, "the task's reference"]
    title: Annotated[str, "the task's title"]
    commands: Annotated[Sequence[str], "commands that help"]
    files: Annotated[Sequence[str], "files that are worked on"]
    warning: Annotated[str | None, "what to look out for; or null"]


@dataclass(frozen=True, slots=True)
class NextAnswer:
    """The next step of every task that may be used here; ``next`` is that of the first."""

    next: Annotated[NextStepAnswer | None, "what to do next; null where nothing is open"]
    steps: Annotated[Sequence[NextStepAnswer], "the next step of each open task, up to --limit"]
    skipped: Annotated[Sequence[SkippedTask], "tasks that may not be used here, and why"]
    notes: Sequence[str]


_LISTED: tuple[Section, ...] = (
    *("active_files", "verified", "unverified", "discarded_paths", "commands", "risks", "failing", "blocked"),
    *("next_steps", "questions", "decisions", "commits"),
)


def status_of(found: OpenTasks, place: WorkPlace) -> TaskStatus:
    return TaskStatus(
        active=[entry_of(task) for task in found.active],
        skipped=[skipped_of(task) for task in found.skipped],
        waiting=[entry_of(task) for task in found.waiting],
        damaged=found.damaged,
        repo_id=place.repo_id,
        worktree_id=place.worktree_id,
        root=str(place.root),
        git=git_of(found.context),
        notes=found.notes,
    )


def change_of(written: Written) -> TaskChange:
    task = entry_of(Loaded(written.record, written.loading))
    return taken_from(written, TaskChange, task=task, others=[record.ref for record in written.others])


def entry_of(task: Loaded) -> TaskEntry:
    record = task.record
    return taken_from(
        record,
        TaskEntry,
        id=record.id or None,
        origin=origin_of(task),
        derived_because=task.derived,
        uncertainties=[
            TaskUncertainty(item.text, item.confidence, item.needs_validation) for item in record.of("uncertainties")
        ],
        created_at=instant(record.created_at),
        updated_at=instant(record.updated_at),
        git_context=None if record.git_context is None else git_of(record.git_context),
        loading=task.loading,
        **{section: record.texts(section) for section in _LISTED},
    )


def skipped_of(task: Loaded) -> SkippedTask:
    record = task.record
    return taken_from(
        task.loading,
        SkippedTask,
        ref=record.ref,
        id=record.id or None,
        origin=origin_of(task),
        title=record.title,
        status=record.status,
        updated_at=instant(record.updated_at),
    )


def row_of(record: WorkRecord, loading: Loading | None) -> TaskRow:
    return taken_from(
        record,
        TaskRow,
        branch=record.git_context.branch if record.git_context else None,
        loadable=loading.loadable if loading else None,
        reason=loading.reason if loading else None,
        created_at=instant(record.created_at),
        updated_at=instant(record.updated_at),
    )


def items_of(record: WorkRecord) -> list[TaskItem]:
    return [taken_from(item, TaskItem, at=instant(item.at)) for item in record.items]


def step_of(step: NextStep) -> NextStepAnswer:
    record = step.task.record
    return NextStepAnswer(
        text=step.text,
        field=step.field,
        origin=origin_of(step.task),
        task=record.ref,
        title=record.title,
        commands=record.texts("commands"),
        files=record.texts("active_files"),
        warning=step.task.loading.warning,
    )


def git_of(git: GitContext) -> TaskGit:
    return taken_from(git, TaskGit, captured_at=instant(git.captured_at))


def origin_of(task: Loaded) -> str:
    return "stated" if is_stated(task) else "derived"


def list_tasks(
    settings: Settings,
    place: WorkPlace | None,
    now: datetime,
    statuses: Collection[str] = (),
    *,
    every: bool = False,
    limit: int = 50,
) -> TaskList:
    """The tasks of a place, or of all repositories, the last changed first, up to ``limit``.

    Only those with one of ``statuses``; without any those that are open, or with ``every`` all.
    """
    wanted = statuses or (() if every else OPEN)
    parts = (TASKS,) if wanted and OPEN.issuperset(wanted) else FOLDERS
    found = read_all(settings.layout, place.folders if place else every_folder(settings.layout), parts)
    records = [
        record for record in found.records if record.kind == "thread" and (not wanted or record.status in wanted)
    ]
    if place is None:
        return TaskList([row_of(record, None) for record in records[:limit]], len(records), limit, found.damaged)
    with looking(place, now) as present:
        rows = [row_of(record, present.loading(record)) for record in records[:limit]]
    return TaskList(rows, len(records), limit, found.damaged)


def shown_work(settings: Settings, place: WorkPlace, now: datetime, ref: str) -> tuple[TaskWhole, Loaded]:
    """The record that ``ref`` means in ``place``, and whether it may be used there.

    Raises NotFound for none, UsageError where several fit, CorpusDamaged where its file is damaged.
    """
    layout = settings.layout
    record = find_task(layout, place.folders, ref, EVERY)
    with looking(place, now) as present:
        found = Loaded(record, present.loading(record))
    log = read_log(layout.work / record.repo_id)
    about, path = log.about(record.id), f"work/{path_of(record)}"
    return TaskWhole(entry_of(found), items_of(record), about, log.damaged, path), found
