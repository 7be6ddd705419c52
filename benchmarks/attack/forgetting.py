"""Random histories of every command that writes, and what a `forget` leaves of its word afterwards.

``python -m benchmarks.attack.forgetting`` plays fifty and prints how many left a word anywhere.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

from benchmarks.attack.histories import STEPS, WORDS, World, forget, left, play


def attack(histories: int = 50, seed: int = 7, folder: Path | None = None) -> dict[str, int]:
    """How many histories of up to ten steps were played, and after how many a word was left, or a command failed."""
    chance = random.Random(seed)
    counts = {"histories": histories, "steps": 0, "with_a_word_left": 0, "internal_errors": 0}
    for _ in range(histories):
        steps = ["store", *chance.choices(list(STEPS), k=chance.randint(2, 9))]
        how, word = chance.choice(("session", "project", "pattern")), chance.choice(list(WORDS))
        with tempfile.TemporaryDirectory(dir=folder) as made:
            world = World(Path(made) / "w", word)
            world.begin()
            play(world, steps)
            forget(world, how)
            found = left(world)
        counts["steps"] += len(steps)
        counts["with_a_word_left"] += bool(found)
        counts["internal_errors"] += sum(line.endswith("-> 70") for line in world.ran)
        if found:
            print(f"{how} after {', '.join(steps)}: {', '.join(found)}", file=sys.stderr)
    return counts


if __name__ == "__main__":
    print(json.dumps(attack()))
