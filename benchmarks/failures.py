"""Scores what is kept of failures against readings by eye: is each a true mistake of the work, and what ended it?

    python -m benchmarks.failures HOME

HOME is laid out as for `benchmarks.handoffs`, and so are the readings in `results/readings/failures.jsonl`: each
failure that was drawn was read beside its session in two parts. ``mistake`` is useful where its message and place say
what was wrong with the work; ``ending`` where it is open or resolved as the log has it, and what is named did it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aicx.work.at_place import facts_at
from aicx.work.failures import Pattern, patterns
from benchmarks.handoffs import Told, lines, of_home
from benchmarks.readings import read, stored_home, title_hash

PARTS = ("mistake", "ending")


def told(found: Iterable[Pattern]) -> Iterator[Told]:
    """What is told of each failure, by its hash."""
    for one in found:
        ended = [(step.by.files, step.by.commands) for step in one.resolutions]
        for part, said in zip(PARTS, (f"{one.last.message} {one.last.file}", f"{one.status} {ended}"), strict=True):
            yield Told(one.id, part, 0, title_hash(said))


def main() -> None:
    with stored_home(__doc__) as (settings, _):
        facts, _ = facts_at(settings, None)
    present = list(told(patterns(facts)))
    _, here = of_home(read("failures"), {one.session for one in present})
    for line in lines(here, present, PARTS):
        print(line)


if __name__ == "__main__":
    main()
