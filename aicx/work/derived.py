"""A task without a declaration: the session that the work goes on from, where it was left open, as its log tells it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from aicx.config import Settings
from aicx.errors import CorpusDamaged
from aicx.evidence.session_brief import Line, StateReason
from aicx.evidence.sessions import SessionRow
from aicx.git.branches import CURRENT, BranchState
from aicx.refs import Ref
from aicx.work.events import read_log
from aicx.work.files import CLOSED, read_record
from aicx.work.gone_on import GoneOn
from aicx.work.loading import Loaded, Loading, LoadingReason
from aicx.work.patch import Patch, Said, apply
from aicx.work.place import Present, WorkPlace
from aicx.work.record import MAX_GOAL, GitContext, Section, WorkRecord, clean, title_of

_MAX_FILES = 12
_MAX_CLOSED = 20
_GONE = timedelta(days=2)
# The session that closes a task still says so: it may end this much later.
_LAST_WORDS = timedelta(minutes=10)

_REASONS: dict[BranchState, LoadingReason] = {
    "same_branch": "same_branch",
    "merged": "branch_changed_but_merged",
    "unmerged": "branch_mismatch_unmerged",
    "gone": "no_git_context",
    "unknown": "no_git_context",
}
_OPEN_BECAUSE: dict[StateReason, str] = {
    "failure_open": "a command failed and nothing fixed it",
    "question_open": "the agent asked and got no answer",
    "interrupted": "it broke off",
    "plan_open": "its plan has items left",
    "said_next": "the agent said what is still to be done",
    "said_done": "it is done",
    "nothing_said": "nothing was said",
}


def derived_tasks(
    settings: Settings, place: WorkPlace, present: Present, gone_on: Iterable[GoneOn], now: datetime
) -> list[Loaded]:
    """The sessions among ``gone_on`` that were left open and whose work was not closed, as tasks in their order.

    Open is what the log shows to be open, or git: a rebase that stopped, edits that nobody committed.
    """
    settled = settled_tasks(settings, place)
    found: list[Loaded] = []
    for one in gone_on:
        if not (one.brief.goal or one.brief.asked) or one.session.automated_why is not None:
            continue
        # Whether the work of a branch that was deleted came in is not known; after days it is not called open.
        if one.standing == "gone" and now - one.session.completed_at > _GONE:
            continue
        if any(_is_of(one.session, record, at) for record, at in settled):
            continue
        begun, left = present.unfinished(one.session, one.brief) if one.standing in CURRENT else ("", "")
        if one.brief.state == "active" or begun or left:
            found.append(_task(place, present, now, one, begun, left))
    return found


def settled_tasks(settings: Settings, place: WorkPlace) -> list[tuple[WorkRecord, datetime]]:
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


def _is_of(session: SessionRow, task: WorkRecord, closed_at: datetime) -> bool:
    """Whether a session worked on a task: the task is from it, or it ended on its branch while the task was open."""
    if session.ref in task.sources:
        return True
    branch = task.git_context.branch if task.git_context else None
    meanwhile = task.created_at <= session.completed_at <= closed_at + _LAST_WORDS
    return meanwhile and branch in (None, session.branch)


def _task(place: WorkPlace, present: Present, now: datetime, left_open: GoneOn, begun: str, left: str) -> Loaded:
    """The task of a session; ``begun`` is what git is in the middle of, ``left`` what else it shows to be undone."""
    session, brief, state = left_open
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
    said: dict[Section, Sequence[Said]] = {
        "active_files": [Said(edit.path, (str(Ref("chunk", edit.chunk)),)) for edit in brief.edits[:_MAX_FILES]],
        "verified": _said(brief.checks),
        "failing": _said(brief.failures),
        "next_steps": _said(brief.ahead),
        "questions": _said(brief.questions),
        "decisions": _said(brief.decisions),
        "commits": _said(brief.commits),
    }
    step = brief.next_step_at(now)
    ahead = clean(begun or (step.text if step else left)) or None
    patch = Patch(next_action=ahead, said=said, origin="derived", next_source=(session.ref,) if ahead else ())
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
    by_git = "git shows it" if begun or (left and step is None) else ""
    return Loaded(record, loading, by_git or _OPEN_BECAUSE[brief.state_reason])


def _said(lines: Sequence[Line]) -> list[Said]:
    return [Said(line.text, line.refs) for line in lines]
