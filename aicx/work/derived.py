"""A task without a declaration: the session that the work goes on from, where it was left open, as its log tells it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from aicx.config import Settings
from aicx.errors import CorpusDamaged
from aicx.git.branches import BranchState
from aicx.refs import Ref
from aicx.work.events import read_log
from aicx.work.files import CLOSED, read_record
from aicx.work.gone_on import GoneOn, LeftOpen, Settled, left_open
from aicx.work.patch import NewItem, Patch, apply, new_items
from aicx.work.place import Loaded, Loading, LoadingReason, Present, WorkPlace
from aicx.work.record import MAX_GOAL, GitContext, Section, WorkRecord, clean, title_of

_MAX_FILES = 12
_MAX_CLOSED = 20

_REASONS: dict[BranchState, LoadingReason] = {
    "same_branch": "same_branch",
    "merged": "branch_changed_but_merged",
    "unmerged": "branch_mismatch_unmerged",
    "gone": "no_git_context",
    "unknown": "no_git_context",
}
_OPEN_BECAUSE: dict[str, str] = {
    "failure_open": "a command failed and nothing fixed it",
    "question_open": "the agent asked and got no answer",
    "interrupted": "it broke off",
    "plan_open": "its plan has items left",
    "said_next": "the agent said what is still to be done",
    "git_shows": "git shows it",
}


def derived_tasks(
    place: WorkPlace, present: Present, gone_on: Iterable[GoneOn], now: datetime, settled: Settled
) -> list[Loaded]:
    """The sessions among ``gone_on`` that were left open and whose work was not ``settled``, as tasks in their order.

    Open is what the log shows to be open, or git: a rebase that stopped, edits that nobody committed.
    """
    found = ((one, left_open(one, now, present.unfinished, settled)) for one in gone_on)
    return [_task(place, present, one, left) for one, left in found if left is not None]


def settled_tasks(settings: Settings, place: WorkPlace) -> Settled:
    """The tasks that were closed for good last, and when."""
    found: list[tuple[WorkRecord, datetime]] = []
    for folder in place.folders:
        events = read_log(settings.layout.work / folder, last=1).events
        closed = [event for event in events if event.type == "closed" and event.status in ("resolved", "abandoned")]
        for event in closed[-_MAX_CLOSED:]:
            try:
                record = read_record(settings.layout, f"{folder}/{CLOSED}/{event.task}.json")
            except (CorpusDamaged, FileNotFoundError):
                continue  # taken up again, or forgotten
            found.append((record, event.at))
    return found


def _task(place: WorkPlace, present: Present, one: GoneOn, left: LeftOpen) -> Loaded:
    """The task of a session that leaves something open."""
    session, brief, state = one
    wanted = brief.goal or brief.asked
    assert wanted is not None
    goal = clean(wanted.text, MAX_GOAL)
    branch = None if session.branch is None else clean(session.branch)
    record = WorkRecord(
        id="",
        kind="thread",
        title=title_of(clean(session.title or goal, MAX_GOAL)),
        goal=goal,
        repo_id=place.repo_id,
        worktree_id=place.worktree_id,
        created_at=session.started_at,
        updated_at=session.completed_at,
        goal_source=session.ref,
        project=session.project,
        git_context=GitContext(branch is not None, session.completed_at, branch),
        sources=(session.ref,),
    )
    said: dict[Section, Sequence[NewItem | str]] = {
        "active_files": [NewItem(edit.path, (str(Ref("chunk", edit.chunk)),)) for edit in brief.edits[:_MAX_FILES]],
        "verified": new_items(brief.checks),
        "failing": new_items(brief.failures),
        "next_steps": new_items(brief.ahead),
        "questions": new_items(brief.questions),
        "decisions": new_items(brief.decisions),
        "commits": new_items(brief.commits),
    }
    patch = Patch(next_action=clean(left.step), said=said, origin="derived", next_source=(session.ref,))
    record = apply(record, patch, session.completed_at, lambda path: path).record
    reason = _REASONS[state]
    loading = Loading(
        loadable=reason != "branch_mismatch_unmerged",
        reason=reason,
        warning=None if reason == "same_branch" else f"left on {branch or 'an unknown branch'}",
        saved_branch=branch,
        current_branch=present.context.branch,
        saved_head=None,
        current_head=present.context.head,
    )
    return Loaded(record, loading, _OPEN_BECAUSE[left.reason])
