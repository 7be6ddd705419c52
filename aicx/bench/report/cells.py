"""A table, and how figures look in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aicx.bench.statistics import Difference, Interval


@dataclass(frozen=True, slots=True)
class Table:
    """A heading, what to know about it, column names, and rows of cells."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def with_ends(interval: Interval) -> str:
    return f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def signed(gap: Difference) -> str:
    return f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
