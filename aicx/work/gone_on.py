"""The session that work goes on from, as a brief chooses it, and what of it is sure to be open.

The derived task, the next step, the banner and the brief all take it from here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from aicx.evidence.calls import merged_by, number_of
from aicx.git.branches import CURRENT
from aicx.git.state import Git, GitState
from aicx.text import first_of

if TYPE_CHECKING:
    from aicx.evidence import Statement
    from aicx.evidence.session_brief import SessionBrief, StateReason
    from aicx.evidence.sessions import SessionRow
    from aicx.git.branches import BranchState
    from aicx.work.record import WorkRecord

_GONE = timedelta(days=2)
# The session that closes a task still says so: it may end this much later.
_LAST_WORDS = timedelta(minutes=10)


class GoneOn(NamedTuple):
    """A session, its brief, and how its branch stands towards the head."""

    session: SessionRow
    brief: SessionBrief
    standing: BranchState


# The sessions that were left out as not merged here, then the one that the work goes on from; notes on what is unread.
Choice = tuple[Sequence[GoneOn], Sequence[str]]
# What git is in the middle of, and what else it shows that a session left; each may be empty.
GitShows = Callable[["SessionRow", "SessionBrief"], tuple[str, str]]


# The tasks that were closed for good last, and when.
Settled = Sequence[tuple["WorkRecord", "datetime"]]


class LeftOpen(NamedTuple):
    """Something that a session leaves and that is sure to be open: the first step, why, and the lines of its log."""

    step: str
    reason: StateReason | Literal["git_shows"]
    lines: tuple[Statement, ...]


def left_open(one: GoneOn, now: datetime, git_shows: GitShows, settled: Settled) -> LeftOpen | None:
    """What a session leaves to do, by its log or by git; None where nothing is sure, as of a session whose work was
    closed since or that a program ran.
    """
    session, brief, standing = one
    if not (brief.goal or brief.asked) or session.automated_why is not None:
        return None
    # Whether the work of a branch that was deleted came in is not known; after days it is not called open.
    if standing == "gone" and now - session.completed_at > _GONE:
        return None
    if any(_is_of(session, record, at) for record, at in settled):
        return None
    begun, left = git_shows(session, brief) if standing in CURRENT else ("", "")
    left = "" if brief.may_be_at_work(now) else left
    sure = brief.open_at(now)
    lines = tuple(item.line for item in sure)
    if begun or (left and not sure):
        return LeftOpen(begun or left, "git_shows", lines)
    if not sure:
        return None
    reasons = [item.reason for item in sure]
    return LeftOpen(sure[0].step, brief.state_reason if brief.state_reason in reasons else reasons[0], lines)


def _is_of(session: SessionRow, task: WorkRecord, closed_at: datetime) -> bool:
    """Whether a session worked on a task: the task is from it, or it ended on its branch while the task was open."""
    if session.ref in task.sources:
        return True
    branch = task.git_context.branch if task.git_context else None
    meanwhile = task.created_at <= session.completed_at <= closed_at + _LAST_WORDS
    return meanwhile and branch in (None, session.branch)


# What git keeps in its folder while it is at something, and what that is called.
_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
)
_SHOWN = 3  # files that a line names
_MAX_CHANGED = 20  # files of which git is asked when they were committed
_MAX_SUBJECTS = 500  # of the branch that everything goes to, among which a merged request is looked for


def git_shows(git: Git, state: GitState, session: SessionRow, brief: SessionBrief) -> tuple[str, str]:
    """Returns what git is in the middle of here, and what else it shows that a session left; each may be empty."""
    return operation_step(git, state), left_step(git, state, session, brief)


def operation_step(git: Git, state: GitState) -> str:
    """The merge, rebase or the like that git stopped in the middle of; empty where there is none."""
    if not state.usable or state.root is None:
        return ""
    kept = zip(_OPERATIONS, _kept_at(git, state.root), strict=False)
    begun = next((what for (_, what), place in kept if _exists(place)), "")
    if not begun:
        return ""
    torn = (git.ask("diff", "--name-only", "--diff-filter=U", "-z") or "").split("\0")
    conflicts = first_of([name for name in torn if name], _SHOWN)
    return f"Finish the {begun}: git is in the middle of it{f', with conflicts in {conflicts}' if conflicts else ''}"


def _kept_at(git: Git, root: str) -> list[Path]:
    """Where git keeps each of the operations. Only in a further working tree does it take git to know."""
    if (own := Path(root, ".git")).is_dir():
        return [own / name for name, _ in _OPERATIONS]
    places = git.ask("rev-parse", *(part for name, _ in _OPERATIONS for part in ("--git-path", name)))
    return [git.folder / place for place in (places or "").splitlines()]


def left_step(git: Git, state: GitState, session: SessionRow, brief: SessionBrief) -> str:
    """Finds what a session left that git still shows: edits without a commit, an unmerged request, a push that was
    spoken of and not made. Empty where git shows none of them.
    """
    if not state.usable or state.branch is None or session.branch not in (None, state.branch):
        return ""
    return _uncommitted(git, state, brief) or _unmerged(git, state, brief) or _unpushed(state, brief)


def _uncommitted(git: Git, state: GitState, brief: SessionBrief) -> str:
    """The session's own edits that git has no commit of, made then or since."""
    edited = {} if brief.committed_since else {edit.path: edit.at for edit in brief.edits}
    changed = [path for path in state.changed if path in edited][:_MAX_CHANGED]
    files = [path for path in changed if not _is_committed_since(git, path, edited[path])]
    if not files:
        return ""
    return f"Commit or finish {first_of(files, _SHOWN)}: changed in that session, and not committed"


def _is_committed_since(git: Git, path: str, at: datetime) -> bool:
    last = (git.ask("log", "-1", "--format=%ct", "--", f":(top,literal){path}") or "").strip()
    return last.isdigit() and int(last) >= at.timestamp()


def _unmerged(git: Git, state: GitState, brief: SessionBrief) -> str:
    """The session's own request from the branch that is checked out, where the main branch as fetched lacks it."""
    asked = [line.text for line in brief.pull_requests if not line.text.endswith("(merged)")]
    main = (git.ask("rev-parse", "--abbrev-ref", "origin/HEAD") or "").strip() if asked else ""
    if not main or main == f"origin/{state.branch}":
        return ""
    if git.ask("merge-base", "--is-ancestor", "HEAD", main) is not None:
        return ""
    subjects = (git.ask("log", f"-{_MAX_SUBJECTS}", "--format=%s", main, "--") or "").splitlines()
    merged = merged_by(subjects)
    left = [text for text in asked if number_of(text) not in merged]
    return f"Get {left[-1]} merged: {main} as it was fetched does not have `{state.branch}`" if left else ""


def _unpushed(state: GitState, brief: SessionBrief) -> str:
    spoken: Sequence[str] = [line.text.lower() for line in (*brief.ahead, *brief.questions)]
    if not state.ahead or state.upstream is None or not any("push" in text for text in spoken):
        return ""
    count = f"{state.ahead} commit{'s are' if state.ahead > 1 else ' is'}"
    return f"Push `{state.branch}`: {count} not on {state.upstream}, as that session said at its end"


def _exists(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:
        return False
