"""Scores the edges that aicx derives between sessions against readings by eye.

    python -m benchmarks.lineage HOME

HOME is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`) and stored into a corpus of its own. Both sessions
of an edge were read. `continues` is right where the newer goes on with what the older did, `related` where both have
one subject. The readings in `results/readings/lineage.jsonl` hold the two ids, the type, a label and a reason a row,
and no text. The ``reading`` of a row is ``first`` for the 40 edges that were drawn before any rule was changed, and
``again`` for those that came or were read later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from aicx.corpus.catalog.query import open_catalog
from aicx.sessions import Edge
from aicx.sessions.family import open_family
from benchmarks.readings import read, share, stored_home


def lines(readings: Iterable[Mapping[str, Any]], present: Iterable[Edge]) -> Iterator[str]:
    """The share of right edges by type and in all, as they were read first and as they are derived now."""
    rows = list(readings)
    labels = {(row["newer"], row["older"], row["type"]): row for row in rows}
    derived = [edge for edge in present if edge.origin == "derived"]
    now = [row for edge in derived if (row := labels.get((edge.from_ref, edge.to_ref, edge.type)))]
    for title, found in (("as first read", [row for row in rows if row["reading"] == "first"]), ("now", now)):
        yield share(f"right edges, {title}", *_count(found))
        for kind in sorted({row["type"] for row in found}):
            yield f"  {share(kind, *_count([row for row in found if row['type'] == kind]))}"
    yield f"derived: {len(derived)}; never read: {len(derived) - len(now)}"
    for reason, count in Counter(row["reason"] for row in now if row["label"] != "right").most_common():
        yield f"  wrong: {reason}: {count}"


def _count(rows: list[Mapping[str, Any]]) -> tuple[int, int]:
    return sum(row["label"] == "right" for row in rows), len(rows)


def main() -> None:
    with (
        stored_home(__doc__) as (settings, _),
        open_catalog(settings.layout) as opened,
        open_family(settings.layout, opened.catalog) as family,
    ):
        known = {row["session_id"] for row in opened.catalog.rows("SELECT DISTINCT session_id FROM chunks")}
        here = [row for row in read("lineage") if row["newer"].rpartition(":")[2] in known]
        for line in lines(here, family.every()):
            print(line)


if __name__ == "__main__":
    main()
