"""How often `aicx why COMMIT` names the session that made a commit, with git at hand.

    python -m benchmarks.why HOME ROWS REPOSITORIES [--corpus FOLDER] [--misses] [--targets]

HOME is laid out as a home folder with agents' logs. ROWS is a file of JSON lines: ``qid``, ``relevant_sessions``,
``query_verbatim_in_session``, and ``informative``, false where the subject says nothing or the link is wrong.
REPOSITORIES holds ``<owner>/<name>`` and ``commits.tsv``, whose lines are qid, repository and hash. Prints MRR@10 and
hit@10 with their 95 % intervals: of the informative rows, of those whose subject stands in no session, and of all; and
the same with some of the signals alone, among the candidates that all signals chose. Session ids are compared by UUID.

With --targets, the same figures for files, lines, numbers, ranges, tags and subjects, all made from informative rows by
plain `git log` and `git blame`, not by the code that is measured. Of a range or a tag, and of several lines, the
sessions of each commit are right.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from aicx.bench.statistics import intervals
from aicx.config import Settings, load_settings
from aicx.why.ranking import Weights
from aicx.why.run import WhyQuery, why

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


_LIMIT = 10
_ALL = Weights()
_NONE = Weights(**dict.fromkeys((field.name for field in fields(Weights)), 0.0))
# Where least is 0 every candidate is ranked, as for a signal alone it has to be.
SIGNALS = {
    "all": _ALL,
    "time only": replace(_NONE, time=_ALL.time),
    "files only": replace(_NONE, files=_ALL.files),
    "text only": replace(_NONE, text=_ALL.text),
    "without made": Weights(made=0),
    "without time": Weights(time=0),
    "without files": Weights(files=0),
    "without text": Weights(text=0),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--corpus", type=Path, help="a corpus that holds HOME's logs already")
    parser.add_argument("--signals", nargs="*", choices=SIGNALS, default=list(SIGNALS))
    parser.add_argument(
        "--targets", nargs="*", choices=KINDS, help="ask other targets than commits; all without a name"
    )
    parser.add_argument("--misses", action="store_true", help="print the informative rows that are not first")
    given = parser.parse_args(arguments)
    with TemporaryDirectory() as scratch:
        corpus = given.corpus or Path(scratch)
        os.environ["HOME"] = str(given.home.resolve())
        if not given.corpus:
            environ = {**os.environ, "AICX_HOME": str(corpus)}
            subprocess.run([sys.executable, "-m", "aicx", "store"], env=environ, check=True, capture_output=True)
        settings = load_settings(corpus=corpus)
        if given.targets is not None:
            for kind in given.targets or KINDS:
                _print_targets(settings, kind, given, Path(scratch))
            return 0
        rows = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
        print(f"{'signals':<14} {'rows':<19} {'n':>4}  MRR@10                 hit@10                 s/row")
        for name in given.signals:
            before = time.process_time()
            ranks = dict(measure(settings, rows, given.repositories, SIGNALS[name]))
            seconds = (time.process_time() - before) / len(ranks)
            telling = [row for row in rows if row["informative"]]
            unsaid = [row for row in telling if not row["query_verbatim_in_session"]]
            for chosen, kept in (("informative", telling), ("not verbatim", unsaid), ("all", rows)):
                _print_row(name, chosen, [ranks[row["qid"]] for row in kept], seconds)
            if given.misses:
                for row in rows:
                    if row["informative"] and ranks[row["qid"]] != 1:
                        print(f"  {row['qid']} {ranks[row['qid']]} {row['query'][:80]}")
    return 0


def _print_targets(settings: Settings, kind: str, given: argparse.Namespace, scratch: Path) -> None:
    tasks = [
        task
        for history in read_histories(given.rows, given.repositories)
        for task in tasks_of(kind, history, scratch / "tagged")
    ]
    before = time.process_time()
    ranks = [rank_of(settings, task) for task in tasks]
    _print_row("all", kind, ranks, (time.process_time() - before) / max(1, len(tasks)))
    if given.misses:
        for task, rank in zip(tasks, ranks, strict=True):
            if rank != 1:
                print(f"  {task.qid} {rank} {task.target[:100]}")


def _print_row(signals: str, kept: str, ranks: Sequence[int], seconds: float) -> None:
    columns = {"mrr": [1 / rank if rank else 0.0 for rank in ranks], "hit": [float(rank > 0) for rank in ranks]}
    mrr, hit = intervals(columns, seed=1).values()
    shown = "  ".join(f"{one.mean:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in (mrr, hit))
    print(f"{signals:<14} {kept:<19} {len(ranks):>4}  {shown}  {seconds:.3f}", flush=True)


def measure(
    settings: Settings, rows: Iterable[dict[str, Any]], repositories: Path, weights: Weights
) -> Iterator[tuple[str, int]]:
    """The rank of each row, as `rank_of` gives it."""
    table = (line.split("\t") for line in (repositories / "commits.tsv").read_text("utf-8").splitlines())
    places = {qid: (repository, commit) for qid, repository, commit in table}
    for row in rows:
        repository, commit = places[row["qid"]]
        right = frozenset(map(uuid_of, row["relevant_sessions"]))
        yield row["qid"], rank_of(settings, Task(row["qid"], commit, repositories / repository, right), weights)


def rank_of(settings: Settings, task: Task, weights: Weights = _ALL) -> int:
    """The rank of the first right session, from 1; 0 where it is not among the first ten."""
    query = WhyQuery(task.target, datetime.now(UTC), task.folder, _LIMIT, weights)
    found = [uuid_of(item.session.session_id) for item in why(settings, query).sessions]
    return next((place for place, session in enumerate(found, 1) if session in task.right), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
