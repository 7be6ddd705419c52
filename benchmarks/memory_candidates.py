"""Scores candidates for memories against readings by eye: which are true and useful to keep.

    python -m benchmarks.memory_candidates HOME

HOME is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`) and stored into a corpus of its own. The readings
in `results/readings/memories.jsonl` hold the id of a candidate, a label and a reason a row, and no text: an id is made
of a candidate's words, so one that changed counts as unread. ``useful`` is a candidate that is true and that a later
session of its repository is better off with. ``fresh`` rows were read once, before any rule was changed because of
their home. ``again`` is the label of somebody who read it later without having written the rules; a rule is judged by
what both call useful. Those with ``shown`` false were read before they were seen often enough to be proposed. Readings
of what is no longer proposed stay, as the reason for rules that went or were sharpened.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aicx.memory.candidates.gather import gather
from aicx.memory.policy import Policy
from aicx.memory.proposals import Proposal
from benchmarks.readings import read, share, stored_home

# Below this a rule goes or is sharpened.
LEAST = 0.8


def lines(readings: Iterable[Mapping[str, Any]], proposals: Iterable[Proposal]) -> Iterator[str]:
    """The share of useful candidates by rule and in all, what was never read, and what is no longer proposed."""
    labels = {row["id"]: row for row in readings}
    every = {proposal.id: proposal for proposal in proposals}
    read = {identity: _is_useful(labels[identity]) for identity in every if identity in labels}
    yield share("useful candidates", sum(read.values()), len(read))
    for rule in sorted({proposal.reason for proposal in every.values()}):
        of = [useful for identity, useful in read.items() if every[identity].reason == rule]
        below = "  BELOW" if of and sum(of) < LEAST * len(of) else ""
        yield f"  {share(rule, sum(of), len(of))}{below}"
    yield f"never read: {len(every) - len(read)}"
    again = [row for row in labels.values() if "again" in row]
    if again:
        yield share("read twice, with the same label", sum(row["label"] == row["again"] for row in again), len(again))
    early = [_is_useful(row) for row in labels.values() if not row.get("shown", True)]
    if early:
        yield share("useful of what is not seen often enough to be proposed", sum(early), len(early))
    gone = [row for identity, row in labels.items() if identity not in every and row.get("shown", True)]
    yield f"read and not proposed: {len(gone)}, of them useful: {sum(row['label'] == 'useful' for row in gone)}"
    fresh = [row["label"] == "useful" for row in labels.values() if row.get("fresh")]
    if fresh:
        yield share("read before any rule was changed for their home", sum(fresh), len(fresh))


def _is_useful(row: Mapping[str, Any]) -> bool:
    return {row["label"], row.get("again", "useful")} == {"useful"}


def main() -> None:
    with stored_home(__doc__) as (settings, opened):
        before = time.process_time()
        found = gather(settings.layout, opened.catalog, Policy())
        took = time.process_time() - before
        chunks = opened.catalog.rows("SELECT count(*) AS n FROM chunks")[0]["n"]
    rows = read("memories")
    known = {proposal.id for proposal in found.proposals}
    read_in = Counter(row["home"] for row in rows if row["id"] in known)
    here = max(sorted(read_in), key=read_in.__getitem__, default=None)
    for line in lines([row for row in rows if row["home"] == here], found.proposals):
        print(line)
    print(f"{chunks} chunks in {took:.2f} s of CPU time")


if __name__ == "__main__":
    main()
