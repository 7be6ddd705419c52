"""What `aicx why` may be asked beside commits, with the sessions that are right: made from commits with known sessions.

The truth comes from plain `git log` and `git blame`, not from the code that is measured.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

KINDS = ("commit", "line", "lines", "file", "number", "range", "tag", "subject", "subject, logs alone")
_NUMBER = re.compile(r"\(#(\d+)\)$")
# Commits of one range, and of one tag.
_SPAN = 3
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Task(NamedTuple):
    """A target asked in a folder, None for the logs alone, and the ids of the sessions that are right."""

    qid: str
    target: str
    folder: Path | None
    right: frozenset[str]


class History:
    """One repository's commits in order, each with its row."""

    def __init__(self, folder: Path, rows: Mapping[str, dict[str, Any]]) -> None:
        self.folder = folder
        self.rows = rows
        self.commits = _git(folder, "rev-list", "--reverse", "HEAD").split()

    def right(self, commits: Sequence[str]) -> frozenset[str]:
        """The sessions of some commits; none where one of them has no telling subject or no known session."""
        rows = [self.rows[commit] for commit in commits]
        if not all(row["informative"] for row in rows):
            return frozenset()
        return frozenset(uuid_of(session) for row in rows for session in row["relevant_sessions"])


def read_histories(rows: Path, repositories: Path) -> list[History]:
    """The repositories beside the logs, as `commits.tsv` there names them."""
    by_id = {row["qid"]: row for row in map(json.loads, rows.read_text("utf-8").splitlines())}
    named: dict[str, dict[str, dict[str, Any]]] = {}
    for line in (repositories / "commits.tsv").read_text("utf-8").splitlines():
        qid, repository, commit = line.split("\t")
        named.setdefault(repository, {})[commit] = by_id[qid]
    return [History(repositories / name, found) for name, found in sorted(named.items())]


def tasks_of(kind: str, history: History, scratch: Path) -> Iterator[Task]:
    """The tasks of one kind that have an answer. ``scratch`` takes a clone with tags, which the repository lacks."""
    if kind in ("line", "lines", "file"):
        found = _of_files(kind, history)
    elif kind in ("range", "tag"):
        found = _of_spans(kind, history, scratch)
    else:
        found = _of_commits(kind, history)
    for target, folder, commits in found:
        if right := history.right(commits):
            yield Task(history.rows[commits[0]]["qid"], target, folder, right)


def uuid_of(session: str) -> str:
    """What a session's id has in every log: some carry a date before it."""
    found = _UUID.search(session)
    return found[0] if found else session


Found = Iterator[tuple[str, Path | None, list[str]]]


def _of_commits(kind: str, history: History) -> Found:
    for commit in history.commits:
        subject = history.rows[commit]["query"]
        if kind == "commit":
            yield commit, history.folder, [commit]
        elif kind == "number" and (number := _NUMBER.search(subject)):
            yield f"#{number[1]}", history.folder, [commit]
        elif kind == "subject":
            yield subject, history.folder, [commit]
        elif kind == "subject, logs alone" and history.rows[commit]["query_verbatim_in_session"]:
            yield subject, None, [commit]


def _of_files(kind: str, history: History) -> Found:
    """For each commit one file: a line that it wrote, the file's lines, or the file that it changed last."""
    asked = set()
    for path in filter(None, sorted(_git(history.folder, "ls-files", "-z").split("\0"))):
        lines = [line.split()[0] for line in _git(history.folder, "blame", "-l", "-s", "--root", path).splitlines()]
        if not lines:
            continue
        newest = _git(history.folder, "log", "-1", "--format=%H", "--", path).strip()
        for number, commit in enumerate(lines, 1) if kind == "line" else [(0, newest)]:
            if commit not in asked:
                asked.add(commit)
                if kind == "lines":
                    yield f"{path}:1-{len(lines)}", history.folder, list(dict.fromkeys(lines))
                else:
                    yield f"{path}:{number}" if number else path, history.folder, [commit]


def _of_spans(kind: str, history: History, scratch: Path) -> Found:
    """Stretches of a few commits, those of a tag since the tag before it."""
    folder = history.folder
    ends = range(_SPAN, len(history.commits), _SPAN)
    if kind == "tag":
        folder = scratch / history.folder.name
        subprocess.run(["git", "clone", "-q", "--no-local", str(history.folder), str(folder)], check=True)
        origin = _git(history.folder, "remote", "get-url", "origin").strip()
        _git(folder, "remote", "set-url", "origin", origin)
        for end in range(0, len(history.commits), _SPAN):
            _git(folder, "tag", f"v1.{end}", history.commits[end])
    for end in ends:
        first, last = history.commits[end - _SPAN], history.commits[end]
        target = f"v1.{end}" if kind == "tag" else f"{first}..{last}"
        yield target, folder, history.commits[end - _SPAN + 1 : end + 1]


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True).stdout
