"""Measures at which rank search puts the right session, for questions that were written by hand.

    AICX_HOME=FOLDER python -m benchmarks.questions QUESTIONS.jsonl

Every row is a ``question`` and the ``sessions`` that answer it. Prints how often a right one is among the first, the
first three and the first ten, and the rank of each question that is not answered in the first three.
``results/readings/questions.jsonl`` has the rows of the last reading, by the first 12 digits of the question's SHA-256.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from aicx.bench.dataset import session_key
from aicx.config import load_settings
from aicx.engine.search import Searcher, SearchQuery
from benchmarks.abstention import question_id, read_rows
from benchmarks.readings import share

LIMIT = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    rows = read_rows(parser.parse_args().questions)
    searcher, now = Searcher(load_settings()), datetime.now(UTC)
    ranks: dict[str, int | None] = {}
    for row in rows:
        report = searcher.search(SearchQuery(row["question"], now, group="session", limit=LIMIT))
        found = [hit.sidecar.session_id for hit in report.hits]
        ranks[question_id(row["question"])] = first_right(found, row["sessions"])
    for line in rank_lines(ranks):
        print(line)


def first_right(found: list[str], right: list[str]) -> int | None:
    """The rank, from 1, of the first session found that is right; None if none of them is."""
    wanted = {session_key(session) for session in right}
    return next((rank for rank, session in enumerate(found, 1) if session_key(session) in wanted), None)


def rank_lines(ranks: dict[str, int | None]) -> Iterator[str]:
    """Shares of questions by the rank of the first right session, and those whose rank is worse than 3."""
    for most in (1, 3, LIMIT):
        right = sum(rank is not None and rank <= most for rank in ranks.values())
        yield share(f"right session among the first {most}", right, len(ranks))
    for question, rank in ranks.items():
        if rank is None or rank > 3:
            yield f"  {question}: {rank or f'not in {LIMIT}'}"


if __name__ == "__main__":
    main()
