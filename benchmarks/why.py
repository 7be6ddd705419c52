"""How often `aicx why COMMIT` names the session that made a commit, with git at hand.

    python -m benchmarks.why HOME ROWS REPOSITORIES [--corpus FOLDER] [--misses] [--targets]

HOME is laid out as a home folder with agents' logs. ROWS is a file of JSON lines: ``qid``, ``relevant_sessions``,
``query_verbatim_in_session``, and ``informative``, false where the subject says nothing or the link is wrong.
REPOSITORIES holds ``<owner>/<name>`` and ``commits.tsv``, whose lines are qid, repository and hash. Prints MRR@10 and
hit@10 with their 95 % intervals: of the informative rows, of those whose subject stands in no session, and of all; and
the same with some of the signals alone, among the candidates that all signals chose. Session ids are compared by UUID.

With --targets, the same figures for files, lines, numbers, ranges, tags and subjects, all made from informative rows
(`why_tasks`). Of a range or a tag, and of several lines, the sessions of each commit are right.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aicx.bench.statistics import intervals
from aicx.config import Settings, load_settings
from aicx.why.ranking import Weights
from aicx.why.run import WhyQuery, why
from benchmarks.why_tasks import KINDS, Task, read_histories, tasks_of, uuid_of

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
