"""A task without a declaration: the latest session of a repository that was left open, as its log tells it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.decisions import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import CorpusDamaged, NotFound
from aicx.evidence.other_repositories import OtherRepositories
from aicx.evidence.session_brief import Line, SessionBrief, StateReason, brief_of
from aicx.evidence.sessions import Scope, SessionRow, known_folders, list_sessions, other_folders, telling_chunks
from aicx.evidence.since import Since, is_clean, same_place
from aicx.evidence.transcript import read_steps
from aicx.git.branches import BranchState
from aicx.git.roots import Roots, repository_of
from aicx.refs import Ref
from aicx.work.events import read_log
from aicx.work.files import CLOSED, read_record
from aicx.work.loading import Loaded, Loading, LoadingReason
from aicx.work.patch import Patch, Said, apply
from aicx.work.place import Present, WorkPlace
from aicx.work.record import MAX_GOAL, GitContext, Section, WorkRecord, clean, title_of

Known = Mapping[str, SessionBrief]  # by the session's reference
# Sessions that are looked at, the last active first; each costs reading its chunks.
_MAX_SESSIONS = 8
_MAX_FILES = 12
_MAX_CLOSED = 20
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
    settings: Settings, place: WorkPlace, present: Present, now: datetime, known: Known | None = None
) -> tuple[list[Loaded], list[str]]:
    """The latest open session that may be continued here, last, after open ones on branches that are not merged.

    ``known`` are sessions that were read already. Empty where nothing is stored, or no session was left open. The
    second list says what could not be read.
    """
    notes: list[str] = []
    try:
        with open_catalog(settings.layout) as opened:
            notes += [*opened.notes, *([opened.fallback_reason] if opened.fallback_reason else [])]
            return _derived(settings, place, present, opened.catalog, now, notes, known or {}), notes
    except NotFound:  # nothing is stored yet
        return [], []
    except CorpusDamaged as error:
        return [], [*notes, f"no session was looked at: {error.message} (next: {error.hint})"]


def _derived(
    settings: Settings,
    place: WorkPlace,
    present: Present,
    catalog: Catalog,
    now: datetime,
    notes: list[str],
    known: Known,
) -> list[Loaded]:
    root = str(place.root)
    identity = place_of(catalog, settings.user_home, load_decisions(settings.layout.projects), root)
    scope = Scope(identity.project if identity else None, tuple(dict.fromkeys([repository_of(root), root])))
    roots = Roots.of([*scope.folders, *known_folders(catalog, scope)])
    elsewhere = OtherRepositories(scope.project, roots, tuple(other_folders(catalog, scope)))
    sessions = [
        session
        for session in list_sessions(catalog, scope, now, limit=_MAX_SESSIONS * 2)
        if session.lane != "subagent" and session.automated_why is None
    ][:_MAX_SESSIONS]
    settled = _settled(settings, place)
    branches = present.branches(session.branch or "" for session in sessions)
    found, later = [], list[tuple[SessionRow, SessionBrief]]()
    for session in sessions:
        if any(_is_of(session, record, at) for record, at in settled):
            continue  # this work was closed
        brief = known.get(session.ref)
        if brief is None:
            steps, unread = read_steps(settings.layout, telling_chunks(catalog, session, now), now)
            notes += unread
            at = session.branch, session.cwd
            since = Since(clean=is_clean(present.context.dirty, present.state.root, session.cwd))
            since = since.with_later(done for other, done in later if same_place(at, (other.branch, other.cwd)))
            brief = brief_of(steps, roots, session.cwd, elsewhere, since) if steps else None
        if brief is not None:
            later.append((session, brief))
        if brief is None or brief.state != "active" or not (brief.goal or brief.asked):
            continue
        state = branches.standing(session.branch, session.completed_at) if branches else "unknown"
        found.append(_task(place, present, session, brief, state))
        if found[-1].loading.loadable:
            break
    return found


def _settled(settings: Settings, place: WorkPlace) -> list[tuple[WorkRecord, datetime]]:
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


def _task(place: WorkPlace, present: Present, session: SessionRow, brief: SessionBrief, state: BranchState) -> Loaded:
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
    ahead = brief.ahead[0].text if brief.ahead else None
    if ahead is None and brief.state_reason == "interrupted" and brief.asked is not None:
        ahead = f"Finish what was asked last: {brief.asked.text}"
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
    return Loaded(record, loading, _OPEN_BECAUSE[brief.state_reason])


def _said(lines: Sequence[Line]) -> list[Said]:
    return [Said(line.text, line.refs) for line in lines]
