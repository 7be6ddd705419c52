"""Commits that a question names in a repository, and how surely sessions made each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import log
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from aicx.corpus.catalog import Catalog
from aicx.corpus.places import same_file
from aicx.git.history import HistoryCommit
from aicx.git.named import NamedCommits, find_named
from aicx.text import instant
from aicx.values import dataclass

Key = tuple[str, str]  # agent and session id

# How long before a commit the work on it ended at the earliest; clocks differ, and a log's last lines come after it.
BEFORE, AFTER = timedelta(days=3), timedelta(hours=1)
# After this long a commit is half as likely to follow the work as at once, as in `aicx.why.ranking`.
_HALF = timedelta(hours=2)
# A chunk takes no longer.
_MAX_SPAN = timedelta(days=1)
_MAX_ROWS = 20_000

# Of all that git is asked for one question. It reads 100,000 commits in a second.
_SECONDS = 2.0

Window = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class Traced:
    """Why a session is raised: the commit it most likely made, and how surely, from 0 to 1.

    ``gap`` is the time from its work to the commit, ``touched`` how many of the commit's ``files`` its tools named.
    """

    worth: float
    kind: str
    commit: str
    gap: timedelta
    touched: int = 0
    files: int = 0


class _Chunk(NamedTuple):
    key: Key
    started_at: datetime
    completed_at: datetime
    cwd: str | None
    branch: str | None
    files: list[str]


def windows(named: Iterable[NamedCommits]) -> list[Window]:
    """The times around commits, those that overlap as one, in order."""
    return around({at for item in named for commit in item.commits for at in times(commit)}, BEFORE, AFTER)


def around(moments: Iterable[datetime], before: timedelta, after: timedelta) -> list[Window]:
    """From ``before`` to ``after`` each moment, those that overlap as one, in order."""
    joined: list[Window] = []
    for at in sorted(moments):
        first, last = at - before, at + after
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def times(commit: HistoryCommit) -> tuple[datetime, datetime]:
    """When a commit was made, and when it was put on another base, which may be the same."""
    return commit.authored_at, commit.committed_at


def trace(catalog: Catalog, named: Sequence[NamedCommits], sessions: Collection[Key]) -> Mapping[Key, Traced]:
    """Those of the sessions that were at work around a commit which a question names, each with the likeliest."""
    chunks = [chunk for window in windows(named) for chunk in _at_work(catalog, window) if chunk.key in sessions]
    found: dict[Key, Traced] = {}
    for item in named:
        for commit in item.commits:
            for key, one in _traced(item, commit, chunks).items():
                if key not in found or one.worth > found[key].worth:
                    found[key] = one
    return found


def _traced(item: NamedCommits, commit: HistoryCommit, chunks: Iterable[_Chunk]) -> Mapping[Key, Traced]:
    """The sessions that were at work around one commit."""
    # What a branch was is told by the branch that a session was on; what a file was, by the file alone.
    signs = (item.name,) if item.kind == "branch" else commit.files if item.path is None else (item.path,)
    gaps: dict[Key, timedelta] = {}
    touched: dict[Key, set[str]] = {}
    for chunk in chunks:
        near = [at for at in times(commit) if at - BEFORE <= chunk.completed_at and chunk.started_at <= at + AFTER]
        if near:
            gap = max(min(at - chunk.completed_at for at in near), timedelta(0))
            gaps[chunk.key] = min(gap, gaps.get(chunk.key, gap))
            of_key = touched.setdefault(chunk.key, set())
            if item.kind == "branch":
                of_key |= {chunk.branch} & set(signs) if chunk.branch else set()
            elif chunk.files:
                of_key |= {path for path in signs if any(same_file(named, path, chunk.cwd) for named in chunk.files)}
    # A file that all of them touched tells nothing of which it was.
    counts = Counter(path for paths in touched.values() for path in paths)
    rarity = {path: log(1 + (len(gaps) + 1) / (1 + counts[path])) for path in signs}
    total = sum(rarity.values()) or 1.0
    return {
        key: Traced(
            # The day, the hour and the files tell about as much each.
            item.weight * (1 + 1 / (1 + gap / _HALF) + sum(rarity[path] for path in touched[key]) / total) / 3,
            item.kind,
            commit.hash,
            gap,
            len(touched[key]),
            len(signs),
        )
        for key, gap in gaps.items()
    }


def _at_work(catalog: Catalog, window: Window) -> list[_Chunk]:
    first, last = window
    # The first condition is for the index on time; a chunk is of one day.
    limited = (
        "FROM chunks WHERE ignored=0 AND started_at>=? AND started_at<=? AND completed_at>=?"
        f" ORDER BY started_at DESC LIMIT {_MAX_ROWS}"
    )
    values = [instant(first - _MAX_SPAN), instant(last), instant(first)]
    files: dict[int, list[str]] = {}
    for row in catalog.rows(f"SELECT chunk, path FROM files WHERE chunk IN (SELECT rowid {limited})", values):
        files.setdefault(row["chunk"], []).append(row["path"])
    rows = catalog.rows(f"SELECT rowid, agent, session_id, started_at, completed_at, cwd, branch {limited}", values)
    return [
        _Chunk(
            (row["agent"], row["session_id"]),
            datetime.fromisoformat(row["started_at"]),
            datetime.fromisoformat(row["completed_at"]),
            row["cwd"],
            row["branch"],
            files.get(row["rowid"], []),
        )
        for row in rows
    ]


class FreshnessLook:
    """Begun at once, and not waited for before `found`."""

    def __init__(
        self, root: Path, text: str, since: datetime, repository: Collection[str], seconds: float = _SECONDS
    ) -> None:
        self._seconds = seconds
        self._named: list[NamedCommits] = []
        self._notes: list[str] = []
        self._failed: Exception | None = None
        # It ends with the program: git itself is given no longer either.
        self._thread = Thread(target=self._look, args=(root, text, since, repository), daemon=True)
        self._thread.start()

    def found(self) -> tuple[list[NamedCommits], list[str]]:
        """Returns what is named, and notes about the search for it; nothing is named where git takes too long."""
        self._thread.join(self._seconds)
        if self._thread.is_alive():
            return [], [f"git gave no answer within {self._seconds:g} s, and its history was not taken into account"]
        if self._failed is not None:
            raise self._failed
        return self._named, self._notes

    def _look(self, root: Path, text: str, since: datetime, repository: Collection[str]) -> None:
        try:
            from aicx.git.state import Git  # imported here: it takes a while

            git = Git(root, self._seconds, self._seconds)
            self._named = find_named(git, root, text, since, repository)
            self._notes = git.notes
        except Exception as error:  # noqa: BLE001 - raised again where the answer is waited for
            self._failed = error
