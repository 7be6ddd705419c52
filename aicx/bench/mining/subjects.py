"""Commits of repositories on this disk: the session that was at work on a commit's files answers its subject."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from aicx.bench.dataset import COUNTED, Query
from aicx.bench.mining.sessions import Session, latest
from aicx.git import command as gitcall
from retrieval.analysis import analyze

VERBATIM = "subject stands in the log"
_MIN_WORDS = 3
# People commit a while after they are done, and go on after they commit.
_AFTERWARDS = timedelta(hours=1)
_MAX_SESSIONS = 3  # more sessions at once on the same files, and which one made the commit is a guess
_SECONDS = 30.0  # for git on one repository


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit on disk. ``files`` are relative to its repository."""

    id: str
    at: datetime
    subject: str
    files: frozenset[str]


def mine(sessions: Sequence[Session], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions. A subject that the session says itself is put apart: any index finds it."""
    now = latest(sessions)
    queries: dict[str, Query] = {}
    for repository, working in _repositories(sessions).items():
        for commit in commits(repository):
            holders = [session for session in working if _made(session, commit, repository)]
            if not 0 < len(holders) <= _MAX_SESSIONS or len(set(analyze(commit.subject).words)) < _MIN_WORDS:
                continue
            said = any(commit.subject in text for session in holders for text in session.texts)
            relevant = {session.key: 1 for session in holders}
            part = VERBATIM if said else COUNTED
            query = Query(f"commit-{commit.id[:12]}", commit.subject, relevant, now=now, part=part)
            queries[commit.id] = query
    found = list(queries.values())
    random.shuffle(found)
    return sorted(found, key=lambda query: query.part == VERBATIM)[:limit]


def commits(repository: Path) -> Iterator[Commit]:
    """The commits of all branches, merges left out. A repository that git cannot read has none."""
    command = gitcall.command(repository, "log", "--all", "--no-merges", "--name-only", "--format=%x01%H%x00%ct%x00%s")
    try:
        done = subprocess.run(command, capture_output=True, check=True, timeout=_SECONDS, env=gitcall.environment())
    except (OSError, subprocess.SubprocessError):
        return
    for record in done.stdout.decode("utf-8", "replace").split("\x01")[1:]:
        head, _, files = record.partition("\n")
        commit_id, seconds, subject = head.split("\x00")
        at = datetime.fromtimestamp(int(seconds), UTC)
        yield Commit(commit_id, at, subject, frozenset(name for name in files.splitlines() if name))


def _repositories(sessions: Sequence[Session]) -> dict[Path, list[Session]]:
    """The repositories on disk that sessions worked in. A session in a subfolder worked in the whole of it."""
    found: dict[Path, list[Session]] = {}
    for session in sessions:
        for folder in sorted(session.folders):
            path = Path(folder)
            root = next((place for place in (path, *path.parents) if (place / ".git").exists()), None)
            if root is not None and session not in found.setdefault(root, []):
                found[root].append(session)
    return found


def _made(session: Session, commit: Commit, repository: Path) -> bool:
    if not session.started_at <= commit.at <= session.completed_at + _AFTERWARDS:
        return False
    touched = {_relative(path, repository) for path in session.files}
    return bool(touched & commit.files)


def _relative(path: str, repository: Path) -> str:
    return path.removeprefix(f"{repository}/").removeprefix("./")
