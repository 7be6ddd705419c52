"""A part of what a test could look at, another part with each seed of the order, so that a few runs have seen all.

With AICX_TEST_ALL=1 in the environment, all of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random
from typing import TypeVar

ALL = bool(os.environ.get("AICX_TEST_ALL"))
_T = TypeVar("_T")
_seed = 0


def seed_with(seed: int) -> None:
    """Says which run this is, before its tests are collected."""
    global _seed
    _seed = seed


def number_of_run(below: int) -> int:
    """A number that follows the seed, for what draws its own sample."""
    return _seed % below


def sample(points: Sequence[_T], size: int, of: object = "", *, ends: bool = True, seed: int | None = None) -> list[_T]:
    """One of each of ``size`` equal stretches of the points, in order; with ``ends``, also the first and the last.

    ``of`` says whose points these are: others are taken for each, where the same ones are there for many.
    """
    if ALL or len(points) <= size:
        return list(points)
    chance = Random(f"{_seed if seed is None else seed} {of}")
    edge = 1 if ends else 0
    stretches, length = size - 2 * edge, len(points) - 2 * edge
    begins = [edge + length * at // stretches for at in range(stretches + 1)]
    chosen = [chance.randrange(*begins[at : at + 2]) for at in range(stretches)]
    return [points[at] for at in ([0, *chosen, len(points) - 1] if ends else chosen)]
