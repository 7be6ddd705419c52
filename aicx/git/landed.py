"""What of other branches is part of the head, though by other hashes: it was squashed, rebased or picked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple

from aicx.git.state import Git
from aicx.git.subjects import plain_subject

# Commits of the head that are looked at, the newest, and bytes of what git lists of their changes.
_MAX_COMMITS, _MAX_LISTED = 2000, 8_000_000
_MAX_FILES = 60  # of a session that are asked for
# A shorter subject, as "wip" or "fix tests", is that of other commits too.
_MIN_SUBJECT = 12


class HeadCommit(NamedTuple):
    """A commit that the head holds: when it was committed, its subject, and the lines of its message below."""

    at: datetime
    subject: str
    body: tuple[str, ...]


class Landed:
    """The newest commits of the head, asked for when it is made and waited for when they are needed."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._answer = git.begin("log", f"-n{_MAX_COMMITS}", "--format=%ct%x00%s%x00%b%x01", "HEAD", "--")

    @cached_property
    def commits(self) -> tuple[HeadCommit, ...]:
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
        if not 0 < len(paths) <= _MAX_FILES:
            return False
        wanted = ("log", f"--since={int(since.timestamp())}", "--format=", "--name-only", "-z", "HEAD", "--")
        named = self._git.ask_some(_MAX_LISTED, *wanted, *(f":(top,literal){path}" for path in paths)) or ""
        return {name.strip("\n") for name in named.split("\0")} >= set(paths)

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


def _read(text: str) -> Iterator[HeadCommit]:
    for block in text.split("\x01"):
        at, _, rest = block.strip("\n").partition("\0")
        subject, _, body = rest.partition("\0")
        if at.isdigit():
            lines = (line.strip().lstrip("*-").strip() for line in body.splitlines())
            yield HeadCommit(datetime.fromtimestamp(int(at), UTC), subject, tuple(filter(None, lines)))


def _changes(listed: str) -> Iterator[tuple[str, str]]:
    """(path, name of its new content) of each line of a raw diff."""
    for line in listed.splitlines():
        facts, _, path = line.partition("\t")
        if facts.startswith(":") and path:
            yield path, facts.split()[3]
