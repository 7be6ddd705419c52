"""Whether what a session did on its branch is part of what is checked out now, also by other hashes: it was squashed,
rebased or picked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import Literal

from aicx.git.state import Commit, Git, GitState
from aicx.git.subjects import plain_subject

# Commits of the head that are looked at, the newest, and bytes of what git lists of their changes.
_MAX_COMMITS, _MAX_LISTED = 2000, 8_000_000
_MAX_FILES = 60  # of a session that are asked for
_FORMAT = "%H%x00%ct%x00%an%x00%s%x00%b%x01"
# A shorter subject, as "wip" or "fix tests", is that of other commits too.
_MIN_SUBJECT = 12
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


class Landed:
    """The newest commits of the head, asked for when it is made and waited for when they are needed."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._answer = git.begin("log", f"-n{_MAX_COMMITS}", f"--format={_FORMAT}", "HEAD", "--")

    @cached_property
    def commits(self) -> tuple[Commit, ...]:
        return tuple(_read(self._answer() or ""))

    def holds_subject(self, subject: str, since: datetime) -> bool:
        """Whether a commit made ``since`` has that subject, or names it in its message, as a squashed one does."""
        wanted = plain_subject(subject)
        return len(wanted) >= _MIN_SUBJECT and any(
            wanted in map(plain_subject, (one.subject, *one.body)) for one in self.commits if one.at >= since
        )

    def is_at_remote(self, subject: str, since: datetime) -> bool:
        """Whether a branch of a remote, as it was last fetched, has a commit of that subject made ``since``."""
        wanted = plain_subject(subject)
        if len(wanted) < _MIN_SUBJECT:
            return False
        after = f"--since={int(since.timestamp())}"
        subjects = self._git.ask("log", f"-n{_MAX_COMMITS}", after, "--format=%s", "--remotes", "--") or ""
        return wanted in map(plain_subject, subjects.splitlines())

    def holds_files(self, paths: Collection[str], since: datetime) -> bool:
        """Whether the head has each of these files, relative to its root, in a commit made ``since``."""
        return 0 < len(paths) <= _MAX_FILES and self.changed(paths, since) == set(paths)

    def changed(self, paths: Collection[str], since: datetime) -> set[str]:
        """Those of the files that the head has in a commit made ``since``."""
        wanted = ("log", f"--since={int(since.timestamp())}", "--format=", "--name-only", "-z", "HEAD", "--")
        named = self._git.ask_some(_MAX_LISTED, *wanted, *(f":(top,literal){path}" for path in paths)) or ""
        return {name.strip("\n") for name in named.split("\0")} & set(paths)

    def holds_changes(self, ref: str) -> bool:
        """Whether every file as ``ref`` changed it was so in the head, since both went apart.

        Names of contents are compared, not contents: a partial clone has the names.
        """
        base = (self._git.ask("merge-base", "HEAD", ref) or "").strip()
        if not base:
            return False
        theirs = set(_changes(self._git.ask("diff-tree", "-r", "--no-renames", base, ref, "--") or ""))
        raw = ("log", f"-n{_MAX_COMMITS}", "--first-parent", "-m", "--raw", "--no-renames", "--no-abbrev", "--format=")
        ours = self._git.ask_some(_MAX_LISTED, *raw, f"{base}..HEAD", "--")
        return bool(theirs) and theirs <= set(_changes(ours or ""))


def _read(text: str) -> Iterator[Commit]:
    for block in text.split("\x01"):
        name, at, author, subject, body = [*block.strip("\n").split("\0"), "", "", "", ""][:5]
        if at.isdigit():
            lines = (line.strip().lstrip("*-").strip() for line in body.splitlines())
            committed = datetime.fromtimestamp(int(at), UTC)
            yield Commit(name, committed, subject, tuple(filter(None, lines)), author)


def _changes(listed: str) -> Iterator[tuple[str, str]]:
    """(path, name of its new content) of each line of a raw diff."""
    for line in listed.splitlines():
        facts, _, path = line.partition("\t")
        if facts.startswith(":") and path:
            yield path, facts.split()[3]


class Branches:
    """The standing of sessions' branches towards the head. Asks git once for all of them."""

    def __init__(self, git: Git, state: GitState, names: Iterable[str], landed: Landed | None = None) -> None:
        """``landed`` also proves branches merged that were squashed or rebased."""
        self._landed = landed
        self._git = git
        self._state = state
        self._speakers: dict[str, str] = {}
        self._merged: set[str] = set()
        self._held: dict[str, bool | None] = {}
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
        if commit not in self._held:
            known = self._state.head and self._git.ask("cat-file", "-e", f"{commit}^{{commit}}") is not None
            self._held[commit] = self._is_in_head(commit) if known else None
        return self._held[commit]

    def is_lost(self, commit: str) -> bool:
        """Whether no branch or tag has a commit, as far as this repository knows: it was never here, or made anew."""
        if self._state.shallow or self.holds_commit(commit):
            return False
        return not self._git.ask("for-each-ref", "--count=1", "--contains", commit)

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
