"""Random histories of every command that writes, and what a `forget` leaves of its word afterwards.

``python -m benchmarks.attack forgetting`` plays fifty and counts those that left a word anywhere.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmarks.attack import Counts
from benchmarks.attack.histories import STEPS, WORDS, World, forget, left, play


def attack(histories: int = 50, seed: int = 7, folder: Path | None = None) -> Mapping[str, Counts]:
    """Histories of up to ten steps, and those after which a word was left; their commands, and those that failed."""
    chance = random.Random(seed)
    ran, kept, failed = 0, [], []
    for _ in range(histories):
        steps = ["store", *chance.choices(list(STEPS), k=chance.randint(2, 9))]
        how, word = chance.choice(("session", "project", "pattern")), chance.choice(list(WORDS))
        with tempfile.TemporaryDirectory(dir=folder) as made:
            world = World(Path(made) / "w", word)
            world.begin()
            play(world, steps)
            forget(world, how)
            found = left(world)
        ran += len(world.ran)
        failed += world.failed()
        if found:
            kept.append(f"{how} after {', '.join(steps)}: {', '.join(found)}")
    return {"histories with a word left": Counts(histories, tuple(kept)), "commands": Counts(ran, tuple(failed))}
