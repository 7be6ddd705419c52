"""How often `aicx why COMMIT` names the session that made a commit, with git at hand.

    python -m benchmarks.why HOME ROWS REPOSITORIES [--corpus FOLDER] [--misses]

HOME is laid out as a home folder with agents' logs. ROWS is a file of JSON lines: ``qid``, ``relevant_sessions``,
``query_verbatim_in_session``, and ``informative``, false where the subject says nothing or the link is wrong.
REPOSITORIES holds ``<owner>/<name>`` and ``commits.tsv``, whose lines are qid, repository and hash. Prints MRR@10 and
hit@10 with their 95 % intervals: of the informative rows, of those whose subject stands in no session, and of all; and
the same with some of the signals alone, among the candidates that all signals chose. Session ids are compared by UUID.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aicx.bench.statistics import intervals
from aicx.config import Settings, load_settings
from aicx.why.ranking import Weights
from aicx.why.run import WhyQuery, why

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
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
    parser.add_argument("--misses", action="store_true", help="print the informative rows that are not first")
    given = parser.parse_args(arguments)
    with TemporaryDirectory() as scratch:
        corpus = given.corpus or Path(scratch)
        os.environ["HOME"] = str(given.home.resolve())
        if not given.corpus:
            environ = {**os.environ, "AICX_HOME": str(corpus)}
            subprocess.run([sys.executable, "-m", "aicx", "store"], env=environ, check=True, capture_output=True)
        settings = load_settings(corpus=corpus)
        rows = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
        print(f"{'signals':<14} {'rows':<12} {'n':>4}  MRR@10                 hit@10                 s/row")
        for name in given.signals:
            before = time.process_time()
            ranks = dict(measure(settings, rows, given.repositories, SIGNALS[name]))
            seconds = (time.process_time() - before) / len(ranks)
            telling = [row for row in rows if row["informative"]]
            unsaid = [row for row in telling if not row["query_verbatim_in_session"]]
            for chosen, kept in (("informative", telling), ("not verbatim", unsaid), ("all", rows)):
                found = [ranks[row["qid"]] for row in kept]
                columns = {
                    "mrr": [1 / rank if rank else 0.0 for rank in found],
                    "hit": [float(rank > 0) for rank in found],
                }
                mrr, hit = intervals(columns, seed=1).values()
                shown = "  ".join(f"{one.mean:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in (mrr, hit))
                print(f"{name:<14} {chosen:<12} {len(found):>4}  {shown}  {seconds:.3f}", flush=True)
            if given.misses:
                for row in rows:
                    if row["informative"] and ranks[row["qid"]] != 1:
                        print(f"  {row['qid']} {ranks[row['qid']]} {row['query'][:80]}")
    return 0


def measure(
    settings: Settings, rows: Sequence[dict[str, Any]], repositories: Path, weights: Weights
) -> Iterator[tuple[str, int]]:
    """The rank of the first right session for each row, from 1; 0 where it is not among the first ten."""
    table = (line.split("\t") for line in (repositories / "commits.tsv").read_text("utf-8").splitlines())
    places = {qid: (repository, commit) for qid, repository, commit in table}
    for row in rows:
        repository, commit = places[row["qid"]]
        query = WhyQuery(commit, datetime.now(UTC), repositories / repository, _LIMIT, weights)
        found = [_uuid(item.session.session_id) for item in why(settings, query).sessions]
        right = {_uuid(session) for session in row["relevant_sessions"]}
        yield row["qid"], next((place for place, session in enumerate(found, 1) if session in right), 0)


def _uuid(session: str) -> str:
    found = _UUID.search(session)
    return found[0] if found else session


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
