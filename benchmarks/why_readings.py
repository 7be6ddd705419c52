"""Scores the reasons of `aicx why` against a reading by eye, line by line: which ones one would show to a friend.

    python -m benchmarks.why_readings HOME REPOSITORIES

HOME and REPOSITORIES are those of `benchmarks.why`. The readings in `results/readings/why.jsonl` hold a commit's id,
the kind and the hash of a line, a label and a reason a row, and no text: a line that changed counts as unread. Forty
commits were drawn, and every line of their reasons was read beside the commit. ``show`` is a line that helps somebody
who asks why the commit was made; a line of another session, or of another commit of the session, does not. The
``reading`` of a row is ``first`` for lines as they were before any rule was changed because of them, and ``again`` for
those that came later; ``fresh`` is of fifteen other commits, read when causes, alternatives and decisions were first
held against the commit's message, with what that left out. ``told`` is whether the line was still quoted when the
readings were kept last.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from aicx.api.answers.why import WhyReason
from aicx.config import load_settings
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.run import store
from aicx.why.answer import answer_why
from aicx.why.run import WhyQuery
from benchmarks.readings import read, share, title_hash


class Line(NamedTuple):
    """A line of a commit's reason, by its hash."""

    id: str
    kind: str
    line: str


def lines_of(commit: str, reason: Iterable[WhyReason]) -> Iterator[Line]:
    """The lines of one answer."""
    return (Line(commit, item.kind, title_hash(item.text)) for item in reason)


def scores(readings: Iterable[Mapping[str, Any]], told: Iterable[Line]) -> Iterator[str]:
    """What was read first, of fresh commits too, and of the lines told now how many one would show, by kind."""
    rows, told = list(readings), list(told)
    first = [row["label"] for row in rows if row["reading"] == "first"]
    yield share("first reading", first.count("show"), len(first))
    labels = {Line(row["id"], row["kind"], row["line"]): row["label"] for row in rows}
    fresh = {row["id"] for row in rows if row["reading"] == "fresh"}
    known = [labels[line] for line in told if line.id in fresh and line in labels]
    yield share("told now of fresh commits", known.count("show"), len(known))
    counts = Counter((line.kind, labels.get(line, "unread")) for line in told)
    kinds = sorted({kind for kind, _ in counts})
    for name, of in (("told now", kinds), *((kind, [kind]) for kind in kinds)):
        good, bad = (sum(counts[kind, label] for kind in of) for label in ("show", "not"))
        yield f"{share(name, good, good + bad)}; unread: {sum(counts[kind, 'unread'] for kind in of)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--corpus", type=Path, help="a corpus that holds HOME's logs already")
    given = parser.parse_args()
    table = (line.split("\t") for line in (given.repositories / "commits.tsv").read_text("utf-8").splitlines())
    places = {qid: (given.repositories / repository, commit) for qid, repository, commit in table}
    rows = read("why")
    os.environ["HOME"] = str(given.home.resolve())
    with TemporaryDirectory() as scratch:
        settings = load_settings(corpus=given.corpus or Path(scratch))
        if not given.corpus:
            store(settings, StoreRequest(), lambda progress: None, lambda line: None)
        told: list[Line] = []
        for qid in dict.fromkeys(row["id"] for row in rows):
            folder, commit = places[qid]
            told += lines_of(qid, answer_why(settings, WhyQuery(commit, datetime.now(UTC), folder)).reason)
    for line in scores(rows, told):
        print(line)


if __name__ == "__main__":
    main()
