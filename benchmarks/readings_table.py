"""Writes the tables of docs/readings.md from the labels in its folder: `python -m benchmarks.readings_table`.

With ``--check`` nothing is written, and the exit code is 1 where the page is out of date.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from benchmarks.redaction import wilson

LABELS = Path(__file__).parent / "readings"
PAGE = Path(__file__).parents[1] / "docs" / "readings.md"
START = "<!-- Written by `python -m benchmarks.readings_table` from benchmarks/readings. -->"
END = "<!-- Here ends what is written by `python -m benchmarks.readings_table`. -->"
KINDS = {
    "titles": "titles",
    "briefs": "briefs",
    "next": "`next`",
    "handoffs": "handoffs",
    "failures": "failures and what resolved them",
    "notes": "continuity notes",
    "candidates": "memory candidates",
    "why": "`why`",
    "recall": "recall at a prompt",
}
SPEAKS = ("useful", "useless", "wrong")
TABLES = {
    "The figures to go by. Read strictly by four who had made no rule, on homes that were used before: two read the "
    "rules of commit ead07b41 (anew), and after their causes were mended two others those of 933b0f36 (last):": (
        "anew",
        "last",
    ),
    "These rules, on homes that were used before: rows of the whole sample that say what nobody had labelled (reread), "
    "and with the rows that say what they said when they were labelled, all of it (present):": ("reread", "present"),
    "Rules before these, on rows of sessions and commits in no reading before (unread), and on fresh rows that say "
    "something else since they were read (changed):": ("unread", "changed"),
    "Rows that nobody had read, of sessions of which other rows were, after further changes of the rules (again):": (
        "again",
    ),
    "Rules of the readings before:": ("before", "fresh"),
}


def table(labels: Mapping[str, Iterable[Mapping[str, str]]], parts: Sequence[str]) -> Iterator[str]:
    """A row a kind of line: its shares in each part with their 95 % intervals, of the rows that say anything."""
    head = [f"{part}: useful | true, useless | wrong | n, silent" for part in parts]
    yield f"| Kind | {' | '.join(head)} |"
    yield "|---" + "|--:" * 4 * len(parts) + "|"
    for kind, name in KINDS.items():
        rows = list(labels.get(kind, ()))
        counted = [Counter(row["label"] for row in rows if _is_of(row, part)) for part in parts]
        if any(counted):
            yield f"| {' | '.join([name, *(cell for counts in counted for cell in _cells(counts))])} |"


def _is_of(row: Mapping[str, str], part: str) -> bool:
    """Whether a row was read in a part, or ``also`` stands in it since it says the same as then."""
    return part in (row["part"], row.get("also"))


def _cells(counts: Mapping[str, int]) -> list[str]:
    n = sum(counts.get(label, 0) for label in SPEAKS)
    silent = f", {counts['silent']}" if counts.get("silent") else ""
    if not n:
        return [*("" for _ in SPEAKS), silent and f"{n}{silent}"]
    return [*(_share(counts.get(label, 0), n) for label in SPEAKS), f"{n}{silent}"]


def _share(count: int, n: int) -> str:
    low, high = wilson(count, n)
    return f"{count / n:.0%} ({low * 100:.0f} to {high * 100:.0f})"


def causes(labels: Mapping[str, Iterable[Mapping[str, str]]], part: str) -> Iterator[str]:
    """A row a kind of line: the causes of what was not useful, the most frequent first."""
    yield from ("| Kind | wrong because of | useless because of |", "|---|---|---|")
    for kind, name in KINDS.items():
        rows = [row for row in labels.get(kind, ()) if _is_of(row, part) and "cause" in row]
        of = (Counter(row["cause"] for row in rows if row["label"] == label) for label in ("wrong", "useless"))
        cells = (", ".join(f"{cause} {count}" for cause, count in counts.most_common()) for counts in of)
        if rows:
            yield f"| {name} | {' | '.join(cells)} |"


def render(labels: Mapping[str, Iterable[Mapping[str, str]]]) -> str:
    """What stands between the markers of the page."""
    lines = [START]
    for title, parts in TABLES.items():
        lines += ["", title, "", *table(labels, parts)]
    for part in chain.from_iterable(TABLES.values()):
        if found := list(causes(labels, part))[2:]:
            lines += ["", f"Causes, {part}:", "", *list(causes(labels, part))[:2], *found]
    return "\n".join([*lines, "", END])


def read() -> dict[str, list[dict[str, str]]]:
    """The labels of every kind."""
    files = {kind: LABELS / f"{kind}.jsonl" for kind in KINDS}
    found = {kind: path.read_text("utf-8").splitlines() for kind, path in files.items() if path.exists()}
    return {kind: [json.loads(line) for line in lines] for kind, lines in found.items()}


def main() -> int:
    page = PAGE.read_text("utf-8")
    before, after = page.partition(START)[0], page.partition(END)[2]
    wanted = f"{before}{render(read())}{after}"
    if "--check" in sys.argv[1:]:
        return int(page != wanted)
    PAGE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
