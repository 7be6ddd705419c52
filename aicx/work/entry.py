"""Tasks as every door shows them: the classes of `aicx.work.answers`, made from records."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from aicx.config import Settings
from aicx.fields import taken_from
from aicx.text import instant
from aicx.work.answers import (
    NextStepAnswer,
    SkippedTask,
    TaskChange,
    TaskEntry,
    TaskGit,
    TaskItem,
    TaskList,
    TaskRow,
    TaskStatus,
    TaskUncertainty,
    TaskWhole,
)
from aicx.work.events import read_log
from aicx.work.files import EVERY, FOLDERS, TASKS, every_folder, find_task, path_of, read_all
from aicx.work.loading import Loaded, Loading, is_stated
from aicx.work.next_step import NextStep
from aicx.work.place import WorkPlace, looking
from aicx.work.record import OPEN, GitContext, Section, WorkRecord
from aicx.work.state import OpenTasks, Written

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
    return TaskChange(
        task=entry_of(Loaded(written.record, written.loading)),
        new=written.new,
        changed_fields=written.changed_fields,
        left_out=written.left_out,
        others=[record.ref for record in written.others],
    )


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
