"""Scores what notes of continuity take from sessions against readings by eye: goal, next steps, what failed.

    python -m benchmarks.continuity_notes HOME

HOME is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`) and stored into a corpus of its own. Sessions were
drawn by the hashes of their names, and what a note takes from each (`aicx.work.noted`) was read beside the session: is
the goal what the session is for, is each next step still open at its end, did each thing named as failed really fail?
Next steps and failures are few, so those of all other sessions were read too. The readings in
`results/readings/continuity_notes.jsonl` hold a session, a section, the hash of a line, a label and a reason a row, and
no text: a line that changed counts as unread. The ``reading`` of a row is ``first`` for lines as they were before any
rule was changed because of them, ``fresh`` for those of sessions that were read once the rules had been changed, and
``again`` for lines that came later; ``told`` is whether the line was still told when the readings were kept last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aicx.work.at_place import facts_at
from aicx.work.noted import failed_of, goal_of, next_of
from aicx.work.session_facts import SessionFacts
from benchmarks.handoffs import name_of, of_home
from benchmarks.readings import read, share, stored_home, title_hash

# Each section, what its share is called, and what it should reach.
SECTIONS = {
    "goal": ("goals that are right", 0.9),
    "next": ("next steps that are open", 0.8),
    "failed": ("failed approaches that failed", 0.9),
}


class Noted(NamedTuple):
    """A line of a session's note, by its hash."""

    session: str
    section: str
    line: str


def noted(facts: SessionFacts) -> Iterator[Noted]:
    """Each line that a note takes from a session; none of one that a program ran."""
    if facts.automated or facts.lane == "subagent":
        return
    goal = goal_of(facts)
    for section, said in (("goal", (goal,) if goal else ()), ("next", next_of(facts)), ("failed", failed_of(facts))):
        for one in said:
            yield Noted(name_of(facts), section, title_hash(one.text))


def lines(readings: Iterable[Mapping[str, Any]], present: Iterable[Noted]) -> Iterator[str]:
    """The share of right lines by section, as they were read first, of sessions read later, and as they are now."""
    rows = list(readings)
    labels = {(row["session"], row["section"], row["line"]): row for row in rows}
    read_in = {(row["session"], row["section"]) for row in rows}
    now = [one for one in present if (one.session, one.section) in read_in]
    known = [row for one in now if (row := labels.get(one))]
    first, fresh = ([row for row in rows if row["reading"] == name] for name in ("first", "fresh"))
    for title, found in (("as first read", first), ("read once after", fresh), ("now", known)):
        for section, (name, aim) in SECTIONS.items():
            if of := [row for row in found if row["section"] == section]:
                yield f"{share(f'{name}, {title}', *_count(of))}, aim {aim}"
    yield f"sessions read: {len({session for session, _ in read_in})}; lines never read: {len(now) - len(known)}"
    for reason, count in Counter(row["reason"] for row in known if row["label"] != "right").most_common():
        yield f"  not right: {reason}: {count}"


def _count(rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    return sum(row["label"] == "right" for row in rows), len(rows)


def main() -> None:
    with stored_home(__doc__) as (settings, _):
        facts, _ = facts_at(settings, None)
    _, here = of_home(read("continuity_notes"), {name_of(one) for one in facts})
    for line in lines(here, [line for one in facts for line in noted(one)]):
        print(line)


if __name__ == "__main__":
    main()
