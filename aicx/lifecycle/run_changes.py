"""Finds what changed in a repository while a program ran: files, and commits."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from aicx.git.history import list_hashes, read_changes
from aicx.git.state import Git, GitProbe, GitState

_MAX_COMMITS = 50
_Stamp = tuple[int, int] | None


class Before(NamedTuple):
    """A repository before: its state, and what its changed files looked like."""

    folder: Path
    at: datetime
    state: GitState
    stamps: dict[str, _Stamp]


class RunChanges(NamedTuple):
    """Paths from the repository's root, and hashes of commits, the newest first."""

    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


def look(folder: Path, now: datetime) -> Before:
    with GitProbe(Git(folder)) as probe:
        state = probe.state
    stamps = {path: _stamp(Path(state.root or "", path)) for path in state.changed}
    return Before(folder, now, state, stamps)


def changes_since(before: Before, now: datetime) -> RunChanges:
    """Finds what differs from ``before``: nothing where git says nothing, and only commits that were made here."""
    after = look(before.folder, now)
    if not (before.state.usable and after.state.usable):
        return RunChanges()
    git = Git(before.folder)
    made = []
    if after.state.head and after.state.head != before.state.head:
        since = (f"^{before.state.head}",) if before.state.head else ()
        hashes = list_hashes(git, _MAX_COMMITS, *since, after.state.head)
        began = before.at - timedelta(seconds=1)  # git keeps whole seconds
        made = [change for change in read_changes(git, hashes) if change.committed_at >= began]
    committed = {path for change in made for path in change.files}
    # A file that was changed before and is not now was taken back, unless it was committed.
    names = {*before.stamps, *after.stamps}
    touched = {path for path in names if before.stamps.get(path, ()) != after.stamps.get(path, ())}
    return RunChanges(tuple(sorted(committed | touched)), tuple(change.hash for change in made))


def _stamp(path: Path) -> _Stamp:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
