"""Whether what a session did on its branch is part of what is checked out now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from aicx.git.landed import Landed
from aicx.git.state import Git, GitState

BranchState = Literal[
    "same_branch",  # the branch that is checked out
    "merged",  # another branch, whose work is in the head
    "unmerged",  # another branch, whose work is not
    "gone",  # a branch that exists neither here nor at a remote: merged and deleted, or given up
    "unknown",  # the log names no branch, or git cannot say
]
# Work of these may be presented as where things stand.
CURRENT: frozenset[BranchState] = frozenset({"same_branch", "merged", "gone", "unknown"})

# Branches that everybody's work flows into; that they moved on since says nothing of a session that ended before.
_MAIN_NAMES = frozenset({"main", "master", "trunk", "develop"})


class Branches:
    """The standing of sessions' branches towards the head. Asks git once for all of them."""

    def __init__(self, git: Git, state: GitState, names: Iterable[str], landed: Landed | None = None) -> None:
        """``landed`` also proves branches merged that were squashed or rebased."""
        self._landed = landed
        self._git = git
        self._state = state
        self._speakers: dict[str, str] = {}
        self._merged: set[str] = set()
        wanted = sorted({name for name in names if name and name != state.branch})
        if wanted and state.head:
            self._look(wanted)

    def standing(self, branch: str | None, until: datetime) -> BranchState:
        """How work that ended ``until`` then on ``branch`` stands towards the head."""
        if not branch or not self._state.head:
            return "unknown"
        if branch == self._state.branch:
            return "same_branch"
        ref = self._speakers.get(branch)
        if ref is None:
            return "gone"
        if ref in self._merged:
            return "merged"
        if branch in _MAIN_NAMES and self._was_in_head(ref, until):
            return "merged"
        if self._landed is not None and self._landed.holds_changes(ref):
            self._merged.add(ref)
            return "merged"
        return "unmerged"

    def holds_commit(self, commit: str) -> bool | None:
        """Whether a commit is in the head; None where this repository does not know it."""
        if not self._state.head or self._git.ask("cat-file", "-e", f"{commit}^{{commit}}") is None:
            return None
        return self._is_in_head(commit)

    def _look(self, names: list[str]) -> None:
        # At any remote too: a branch that was pushed and deleted here still shows where its work stands.
        patterns = [pattern for name in names for pattern in (f"refs/heads/{name}", f"refs/remotes/*/{name}")]
        every = (self._git.ask("for-each-ref", "--format=%(refname)", *patterns) or "").split()
        merged = self._git.ask("for-each-ref", "--format=%(refname)", "--merged=HEAD", *patterns) if every else None
        self._merged = set((merged or "").split())
        for name in names:
            # The branch here speaks for its work, its copy at a remote only where there is none.
            refs = [ref for ref in every if ref == f"refs/heads/{name}"]
            refs += [ref for ref in every if ref.startswith("refs/remotes/") and ref.split("/", 3)[-1] == name]
            if refs:
                self._speakers[name] = refs[0]

    def _was_in_head(self, ref: str, until: datetime) -> bool:
        """Whether the last commit on ``ref`` before that moment is in the head."""
        last = self._git.ask("rev-list", "-1", f"--before=@{int(until.timestamp()) + 1}", ref, "--")
        return bool(last and last.strip()) and self._is_in_head((last or "").strip())

    def _is_in_head(self, commit: str) -> bool:
        return self._git.ask("merge-base", "--is-ancestor", commit, "HEAD") is not None
