"""What a memory of many records costs: `python -m benchmarks.memory_speed [--records 10000] [--models FOLDER]`.

A made-up repository with as many anchored lines as there are records, all of them accepted. Recall is asked warm, in
one process, and cold, as a whole process that alternates with a bare interpreter. `assess` is timed where no anchored
file has changed, with the records read before and with reading them. With --models, a folder that holds the static
model (`AICX_HOME/models` after `aicx index`), recall is asked by meaning too.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from aicx.bench.mining.records import ASPECTS, COMPONENTS, TEMPLATES, VALUES
from aicx.bench.rankers.memory import add_vectors, settings_in
from aicx.config import Settings
from aicx.memory.anchors import take_anchor
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import Memory, find_scope
from aicx.memory.recall.asking import RecallQuery
from aicx.memory.recall.run import Recaller
from aicx.memory.record import Adoption
from aicx.memory.writing import changing
from benchmarks.store import aicx, environment_for, measure, scratch

_LINES = 50  # of a file, each the anchor of one record
_ASKED = 100
_RUNS = 15


def drafts(number: int, root: Path) -> Iterator[Draft]:
    """Statements about aspects of components, each anchored to a line of its own in ``root``."""
    random = Random(number)
    for at in range(number):
        path = f"src/part{at // _LINES}.py"
        if at % _LINES == 0:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("".join(f"value_{at + line} = {line}\n" for line in range(_LINES)))
        kind, text = TEMPLATES[at % len(TEMPLATES)]
        words = {"c": random.choice(COMPONENTS), "a": random.choice(ASPECTS), "v": random.choice(VALUES)}
        anchor = take_anchor(root, root, f"{path}#L{at % _LINES + 1}", None)
        yield Draft(f"{text.format(**words)} ({at})", kind, words["c"], anchors=[anchor])


def fill(settings: Settings, root: Path, number: int) -> None:
    """Makes ``number`` accepted records of the repository at ``root``."""
    scope, now = find_scope(settings, root), datetime.now(UTC)
    every = [replace(draft, repository=scope.repository) for draft in drafts(number, root)]
    made = propose(settings, scope, every, now, _nobody)
    with changing(settings, now, _nobody) as change:
        for record, _ in made:
            change.put(replace(record, adoption=Adoption("adopted", "Ada", now)), "accepted", "Ada")
        change.publish()


def questions() -> list[str]:
    random = Random(1)
    return [f"what is the {random.choice(ASPECTS)} of the {random.choice(COMPONENTS)}" for _ in range(_ASKED)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--models", type=Path, help="also by meaning, with the static model in this folder")
    parser.add_argument("--keep", type=Path, help="make the memory in this folder, or measure what is there")
    arguments = parser.parse_args()
    with scratch() as folder:
        place = arguments.keep or folder
        root, home = place / "widgets", place / "home"
        environment = environment_for(place / "user", home)
        settings = settings_in(place)
        if not home.exists():
            root.mkdir(parents=True)
            subprocess.run(["git", "init", "-q", str(root)], check=True)
            fill(settings, root, arguments.records)
        print(f"{arguments.records:,} records")
        _print_assess(settings, root)
        _print_warm("recall, warm, by words", settings, root)
        _print_cold(environment, root)
        if arguments.models:
            add_vectors(place, questions(), "static", arguments.models)
            _print_warm("recall, warm, by words and meaning", settings, root)


def _print_assess(settings: Settings, root: Path) -> None:
    scope, now = find_scope(settings, root), datetime.now(UTC)
    with Memory.open(settings, now, scope=scope) as memory:
        memory.assessed()
        records = memory.records()
        _print("assess, records read before", lambda: memory.assessed(records), 1000)
    with Memory.open(settings, now, scope=scope) as memory:
        _print("assess, with reading them", memory.assessed, 1000)


def _print(name: str, work: Callable[[], object], unit: float) -> None:
    found = []
    for _ in range(_RUNS):
        begun = time.process_time()
        work()
        found.append((time.process_time() - begun) * unit)
    print(f"{name:<36} {statistics.median(found):7.1f} ms of CPU (min {min(found):.1f}, max {max(found):.1f})")


def _print_warm(name: str, settings: Settings, root: Path) -> None:
    found = []
    with Recaller(settings) as recaller:
        scope, now = recaller.scope(root), datetime.now(UTC)
        for text in questions()[:3]:
            recaller.recall(RecallQuery(text, now, scope))
        for text in questions():
            begun = time.perf_counter()
            recaller.recall(RecallQuery(text, now, scope))
            found.append((time.perf_counter() - begun) * 1000)
    found.sort()
    print(f"{name:<36} {statistics.median(found):7.1f} ms p50, {found[int(0.95 * len(found))]:.1f} ms p95")


def _print_cold(environment: dict[str, str], root: Path) -> None:
    def run(*command: str) -> tuple[float, float]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = measure(list(command), environment).wall
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    pairs = []
    for text in questions()[:_RUNS]:
        bare, asked = run(sys.executable, "-c", "pass"), run(*aicx("memory", "recall", text, "--repo", str(root)))
        pairs.append([one / other for one, other in zip(asked, bare, strict=True)])
    wall, cpu = (sorted(found) for found in zip(*pairs, strict=True))
    print(
        f"{'recall, cold, of a bare interpreter':<36} {statistics.median(wall):7.1f} x wall "
        f"({wall[0]:.1f} to {wall[-1]:.1f}), {statistics.median(cpu):.1f} x CPU ({cpu[0]:.1f} to {cpu[-1]:.1f})"
    )


def _nobody(_: object) -> None:
    """Nobody is told."""


if __name__ == "__main__":
    main()
