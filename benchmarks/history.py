"""What a repository at hand is worth to a search for the session that made a commit, by the commit's subject.

    python -m benchmarks.history HOME ROWS REPOSITORIES [--corpus FOLDER] [--mode MODE] [--plain QUESTIONS]

HOME, ROWS and REPOSITORIES are those of `benchmarks.why`. Every row is asked as from nowhere, in its repository, and
there with each rule off: MRR@10 and hit@10 with their 95 % intervals, and the difference that the place makes. Of the
informative rows those whose subject stands in no session, and those whose subject does. QUESTIONS are those of
`benchmarks.questions`, which name no commit: each is asked in every repository, right or wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aicx.bench.statistics import intervals
from aicx.config import load_settings
from aicx.engine.search import Group, Mode, Searcher, SearchQuery
from aicx.errors import UsageError
from benchmarks.questions import first_right
from retrieval.params import DEFAULT_PARAMS, RankingParams

_LIMIT = 10
RULES: Mapping[str, RankingParams | None] = {
    "nowhere": None,
    "here": DEFAULT_PARAMS,
    "without history": replace(DEFAULT_PARAMS, history=0.0),
    "without own": replace(DEFAULT_PARAMS, own_repository=0.0),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--corpus", type=Path, help="a corpus that holds HOME's logs already")
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--plain", type=Path)
    given = parser.parse_args(arguments)
    rows = [json.loads(line) for line in given.rows.read_text("utf-8").splitlines()]
    with TemporaryDirectory() as scratch:
        corpus = given.corpus or Path(scratch)
        os.environ["HOME"] = str(given.home.resolve())
        if not given.corpus:
            environ = {**os.environ, "AICX_HOME": str(corpus)}
            subprocess.run([sys.executable, "-m", "aicx", "store"], env=environ, check=True, capture_output=True)
        with Searcher(load_settings(corpus=corpus)) as searcher:
            for group in ("session", "chunk"):
                _print_rows(searcher, rows, given.repositories, group, given.mode)
            if given.plain:
                plain = [json.loads(line) for line in given.plain.read_text("utf-8").splitlines()]
                for place in (None, *sorted(given.repositories.glob("*/*/"))):
                    ranks = [_rank(searcher, row["question"], row["sessions"], place, given.mode) for row in plain]
                    shares = [sum(0 < rank <= most for rank in ranks) for most in (1, 3, 10)]
                    print(
                        f"plain questions in {place.name if place else 'no place'}: first {shares[0]}, among three "
                        f"{shares[1]}, among ten {shares[2]} of {len(ranks)}",
                        flush=True,
                    )
    return 0


def _print_rows(
    searcher: Searcher, rows: Sequence[dict[str, Any]], repositories: Path, group: Group, mode: Mode
) -> None:
    telling = [row for row in rows if row["informative"] and not row["query_verbatim_in_session"]]
    verbatim = [row for row in rows if row["query_verbatim_in_session"]]
    for said, chosen in (("not verbatim", telling), ("verbatim", verbatim)):
        nowhere: list[float] = []
        for name, rules in RULES.items():
            before = time.process_time()
            ranks = list(_ranks(searcher, chosen, repositories, rules, group, mode))
            seconds = (time.process_time() - before) / len(ranks)
            worth = [1 / rank if rank else 0.0 for rank in ranks]
            nowhere = nowhere or worth
            columns = {
                "mrr": worth,
                "hit": [float(rank > 0) for rank in ranks],
                "gain": [one - other for one, other in zip(worth, nowhere, strict=True)],
            }
            shown = "  ".join(
                f"{one.mean:+.3f} [{one.low:+.3f}, {one.high:+.3f}]" for one in intervals(columns, seed=1).values()
            )
            print(f"{group:<8} {said:<13} {name:<16} {len(ranks):>4}  {shown}  {seconds:.3f} s", flush=True)


def _ranks(
    searcher: Searcher,
    rows: Sequence[dict[str, Any]],
    repositories: Path,
    rules: RankingParams | None,
    group: Group,
    mode: Mode,
) -> Iterator[int]:
    for row in rows:
        place = repositories / row["repo"] if rules else None
        yield _rank(searcher, row["query"], row["relevant_sessions"], place, mode, group, rules or DEFAULT_PARAMS)


def _rank(
    searcher: Searcher,
    text: str,
    right: Sequence[str],
    place: Path | None,
    mode: Mode,
    group: Group = "session",
    rules: RankingParams = DEFAULT_PARAMS,
) -> int:
    """The rank of the first right session among ten, from 1; 0 where it is not among them."""
    query = SearchQuery(
        text,
        datetime.now(UTC),
        group=group,
        limit=_LIMIT,
        fold=group == "chunk",
        mode=mode,
        place=place,
        rules=rules,
        lift_dates=False,
    )
    try:
        found = [hit.sidecar.session_id for hit in searcher.search(query).hits]
    except UsageError:  # a subject of symbols
        return 0
    return first_right(found, list(right)) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
