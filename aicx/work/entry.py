"""Tasks as every door shows them: the classes of `aicx.api.answers.task`, made from records."""

from __future__ import annotations

from collections.abc import Iterable

from aicx.api.answers.task import (
    DamagedFile,
    NextStepAnswer,
    SkippedTask,
    TaskChange,
    TaskEntry,
    TaskGit,
    TaskItem,
    TaskLoading,
    TaskRow,
    TaskStatus,
    TaskUncertainty,
)
from aicx.text import instant
from aicx.work.files import DamagedTask
from aicx.work.loading import Loaded, Loading
from aicx.work.next_step import NextStep
from aicx.work.place import WorkPlace
from aicx.work.record import GitContext, WorkRecord
from aicx.work.state import OpenTasks, Written


def status_of(found: OpenTasks, place: WorkPlace) -> TaskStatus:
    return TaskStatus(
        active=[entry_of(task) for task in found.active],
        skipped=[skipped_of(task) for task in found.skipped],
        waiting=[entry_of(task) for task in found.waiting],
        damaged=damaged_of(found.damaged),
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
    return TaskEntry(
        ref=record.ref,
        id=record.id or None,
        origin=origin_of(task),
        derived_because=task.derived,
        title=record.title,
        slug=record.slug,
        status=record.status,
        goal=record.goal,
        goal_source=record.goal_source,
        hypothesis=record.hypothesis,
        next_action=record.next_action,
        active_files=record.texts("active_files"),
        verified=record.texts("verified"),
        unverified=record.texts("unverified"),
        discarded_paths=record.texts("discarded_paths"),
        uncertainties=[
            TaskUncertainty(item.text, item.confidence, item.needs_validation) for item in record.of("uncertainties")
        ],
        commands=record.texts("commands"),
        risks=record.texts("risks"),
        failing=record.texts("failing"),
        blocked=record.texts("blocked"),
        next_steps=record.texts("next_steps"),
        questions=record.texts("questions"),
        decisions=record.texts("decisions"),
        commits=record.texts("commits"),
        sources=record.sources,
        closing_note=record.closing_note,
        repo_id=record.repo_id,
        worktree_id=record.worktree_id,
        project=record.project,
        created_at=instant(record.created_at),
        updated_at=instant(record.updated_at),
        rev=record.rev,
        git_context=None if record.git_context is None else git_of(record.git_context),
        loading=_loading(task.loading),
    )


def skipped_of(task: Loaded) -> SkippedTask:
    record, loading = task.record, task.loading
    return SkippedTask(
        ref=record.ref,
        id=record.id or None,
        origin=origin_of(task),
        title=record.title,
        status=record.status,
        reason=loading.reason,
        warning=loading.warning,
        saved_branch=loading.saved_branch,
        current_branch=loading.current_branch,
        saved_head=loading.saved_head,
        current_head=loading.current_head,
        updated_at=instant(record.updated_at),
    )


def row_of(record: WorkRecord, loading: Loading | None) -> TaskRow:
    return TaskRow(
        ref=record.ref,
        id=record.id,
        title=record.title,
        status=record.status,
        next_action=record.next_action,
        branch=record.git_context.branch if record.git_context else None,
        loadable=loading.loadable if loading else None,
        reason=loading.reason if loading else None,
        repo_id=record.repo_id,
        worktree_id=record.worktree_id,
        project=record.project,
        created_at=instant(record.created_at),
        updated_at=instant(record.updated_at),
    )


def items_of(record: WorkRecord) -> list[TaskItem]:
    return [
        TaskItem(item.id, item.section, item.text, instant(item.at), item.origin, item.evidence, item.seen)
        for item in record.items
    ]


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


def damaged_of(found: Iterable[DamagedTask]) -> list[DamagedFile]:
    return [DamagedFile(path, why) for path, why in found]


def git_of(git: GitContext) -> TaskGit:
    return TaskGit(
        available=git.available,
        branch=git.branch,
        head=git.head,
        dirty=git.dirty,
        changed_files=git.changed_files,
        captured_at=instant(git.captured_at),
        reason=git.reason,
    )


def origin_of(task: Loaded) -> str:
    return "stated" if task.derived is None else "derived"


def _loading(loading: Loading) -> TaskLoading:
    return TaskLoading(
        loadable=loading.loadable,
        reason=loading.reason,
        warning=loading.warning,
        saved_branch=loading.saved_branch,
        current_branch=loading.current_branch,
        saved_head=loading.saved_head,
        current_head=loading.current_head,
    )
