"""What git itself shows to be unfinished in a working tree: a rebase, edits without a commit, a missing push."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.evidence.commits import merged_by, number_of
from aicx.git.state import Git, GitState
from aicx.text import first_of

if TYPE_CHECKING:
    from aicx.evidence.session_brief import SessionBrief
    from aicx.evidence.sessions import SessionRow

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
    """What git is in the middle of here, and what else it shows that a session left; each may be empty."""
    return operation_step(git, state), left_step(git, state, session, brief)


def operation_step(git: Git, state: GitState) -> str:
    """The merge, rebase or the like that git stopped in the middle of; empty where there is none."""
    if not state.usable or state.root is None:
        return ""
    places = git.ask("rev-parse", *(part for name, _ in _OPERATIONS for part in ("--git-path", name)))
    folders = [git.folder / place for place in (places or "").splitlines()]
    begun = next((what for (_, what), place in zip(_OPERATIONS, folders, strict=False) if _exists(place)), "")
    if not begun:
        return ""
    torn = (git.ask("diff", "--name-only", "--diff-filter=U", "-z") or "").split("\0")
    conflicts = first_of([name for name in torn if name], _SHOWN)
    return f"Finish the {begun}: git is in the middle of it{f', with conflicts in {conflicts}' if conflicts else ''}"


def left_step(git: Git, state: GitState, session: SessionRow, brief: SessionBrief) -> str:
    """What a session left that git still shows: edits without a commit, a request that is not merged, a push that was
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
    main = (git.ask("rev-parse", "--abbrev-ref", "origin/HEAD") or "").strip()
    if not asked or not main or main == f"origin/{state.branch}":
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
