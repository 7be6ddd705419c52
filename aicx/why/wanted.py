"""What sessions are looked for: the commits of a target, and lines or files that are not committed yet."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from aicx.git.history import HistoryCommit
from aicx.git.state import Git, GitState
from aicx.why.copies import find_wanted
from aicx.why.report import CommitQuery
from aicx.why.target import WhyTarget

_MAX_WORKING_FILE = 1_000_000


def wanted_of(target: WhyTarget, git: Git, state: GitState, now: datetime) -> list[CommitQuery]:
    """The commits that a target means, and what of it is not committed or not known to git."""
    found = [_bare(item) if item.change.hash in target.ends else item for item in find_wanted(git, target.weights)]
    if target.path is not None:
        # Of a commit of many files, the one that is asked about; of one that several sessions wrote, these lines.
        asked = _lines(state, target)
        found = [replace(item, path=target.path, added=(item.added & asked) or item.added) for item in found]
    if target.path is not None and (target.changed or target.ends):
        times = (now,) if target.changed and state.usable else ()
        found.append(CommitQuery(_uncommitted(target.path, now), 1.0, (), (), times, added=_lines(state, target)))
    name = target.hash or target.subject or (target.number.name if target.number and not found else "")
    if name:
        blank = replace(_uncommitted("", now), hash=target.hash or "", subject=target.subject or "", files=())
        found.append(CommitQuery(blank, 1.0, (target.hash,) if target.hash else (), (), (), name=name))
    return found


def _bare(wanted: CommitQuery) -> CommitQuery:
    """A commit by its message and times alone."""
    return replace(wanted, change=replace(wanted.change, files=()), added=frozenset())


def _uncommitted(path: str, now: datetime) -> HistoryCommit:
    return HistoryCommit("", (), "", "", now, now, "", files=(path,))


def _lines(state: GitState, target: WhyTarget) -> frozenset[str]:
    """The lines of the working tree that are asked about."""
    if state.root is None or target.path is None or target.lines is None:
        return frozenset()
    with suppress(OSError, ValueError):
        place = Path(os.path.realpath(Path(state.root) / target.path))
        if place.is_file() and place.is_relative_to(os.path.realpath(state.root)):
            with place.open("rb") as stream:
                lines = stream.read(_MAX_WORKING_FILE).decode("utf-8", "replace").splitlines()
            return frozenset(filter(None, map(str.strip, lines[target.lines[0] - 1 : target.lines[1]])))
    return frozenset()
