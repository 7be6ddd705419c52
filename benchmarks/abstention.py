"""Measures what search says of questions that a corpus cannot answer: real words about something else.

    python -m benchmarks.abstention QUESTIONS.jsonl --home a=FOLDER --home b=FOLDER

Every row is a question whose answer is in one of two corpora (AICX_HOME folders): ``question``, ``home`` (its name),
and, where they are known, the ``sessions`` that answer it. It is asked of both.

``benchmarks/abstention_readings.jsonl`` has what a person found by reading: an id (the first 12 digits of the
question's SHA-256), a label and the reason. A question labelled ``there`` can be answered from the other corpus too,
and is not counted as unanswerable.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.bench.dataset import session_key
from aicx.bench.stores import settings_for
from aicx.engine.search import Searcher, SearchQuery
from retrieval.evidence import Evidence

READINGS = Path(__file__).with_name("abstention_readings.jsonl")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question asked of a corpus. ``shown`` says whether a right session was; None where none is known."""

    home: str
    answerable: bool
    evidence: Evidence
    named: bool
    shown: bool | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--home", action="append", required=True, metavar="NAME=FOLDER")
    parser.add_argument("--limit", type=int, default=10)
    arguments = parser.parse_args()
    homes = {name: Path(folder) for name, _, folder in (home.partition("=") for home in arguments.home)}
    asked = list(ask(read_rows(arguments.questions), homes, _labels(READINGS), arguments.limit))
    for home in homes:
        for answerable in (False, True):
            print(figures(home, answerable, [one for one in asked if (one.home, one.answerable) == (home, answerable)]))


def ask(
    rows: Iterable[Mapping[str, Any]], homes: Mapping[str, Path], labels: Mapping[str, str], limit: int
) -> Iterable[Asked]:
    """Every question asked of every corpus, but not of one where it was read to be answerable by chance."""
    now = datetime.now(UTC)
    searchers = {name: Searcher(settings_for(folder)) for name, folder in homes.items()}
    for row in rows:
        for home, searcher in searchers.items():
            answerable = row["home"] == home
            if not answerable and labels.get(question_id(row["question"])) == "there":
                continue
            report = searcher.search(SearchQuery(row["question"], now, group="session", limit=limit))
            right = {session_key(session) for session in row.get("sessions", ())} if answerable else set()
            shown = any(session_key(hit.sidecar.session_id) in right for hit in report.hits) if right else None
            yield Asked(home, answerable, report.evidence, bool(report.missing_words), shown)


def figures(home: str, answerable: bool, asked: list[Asked]) -> str:
    """One line on the questions of a kind: how many got strong, weak or no evidence, and which were lost."""
    labels = Counter(one.evidence for one in asked)
    line = f"{home}, {'answerable' if answerable else 'unanswerable'}: {len(asked)} asked, "
    line += f"{labels['strong']} strong, {labels['weak']} weak, {labels['none']} none"
    line += f"; words named as missing in {sum(one.named for one in asked)}"
    if known := [one for one in asked if one.shown is not None]:
        found = [one for one in known if one.shown]
        weak = sum(one.evidence == "weak" for one in found)
        line += f"; right session shown in {len(found)} of {len(known)}, of these {weak} labelled weak"
    return line


def question_id(question: str) -> str:
    return sha256(question.encode()).hexdigest()[:12]


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _labels(path: Path) -> dict[str, str]:
    return {row["id"]: row["label"] for row in read_rows(path)} if path.exists() else {}


if __name__ == "__main__":
    main()
