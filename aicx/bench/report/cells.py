"""A table, and how figures look in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from aicx.bench.statistics import Difference
from aicx.bench.summary import Cost
from aicx.engine.index_answer import Interval
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A heading, what to know about it, column names, and rows of cells."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


# What of a ranker's cost a change to it may change, by the head of its column.
COSTS: Mapping[str, str] = {
    "index MB": "index_bytes",
    "build s": "build_seconds",
    "warm p50 ms": "warm_p50",
    "cold/bare": "cold_ratio",
}
_UNITS = {"index_bytes": 1e-6}
_DIGITS = 4


def cost_cells(cost: Cost) -> list[str]:
    """The columns of `COSTS`; a dash for what was not measured."""
    values = {name: getattr(cost, name) for name in COSTS.values()}
    return ["-" if value is None else f"{value * _UNITS.get(name, 1):.1f}" for name, value in values.items()]


def rounded(value: Any) -> Any:
    """To as many digits as a reader needs; the same of whatever is in a mapping or a dataclass."""
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: rounded(getattr(value, one.name)) for one in fields(value)})
    if isinstance(value, Mapping):
        return {name: rounded(inner) for name, inner in value.items()}
    return round(value, _DIGITS) if isinstance(value, float) else value


def with_ends(interval: Interval) -> str:
    return f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def signed(gap: Difference) -> str:
    return f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
