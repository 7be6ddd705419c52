"""Two results side by side: the differences, and whether they are more than noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from statistics import fmean
from typing import Annotated, Any

from aicx.bench.dataset import COUNTED, MEASURES
from aicx.bench.results import BenchResult, DatasetFacts, load_polars
from aicx.bench.statistics import Difference, differences, holm
from aicx.bench.summary import costs_of, rankers_of
from aicx.values import dataclass

_CHANCE = 0.05
# Two runs on one machine differ by a third from hour to hour; what is beyond that has another cause.
_SLOWER = 1.5


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """One measure of one ranker on one dataset."""

    dataset: Annotated[str, "its name"]
    ranker: Annotated[str, "its name"]
    measure: Annotated[str, "what was measured"]
    first: Annotated[float, "in the first result"]
    second: Annotated[float, "in the second result"]
    difference: Annotated[Difference, "the second minus the first"]
    corrected: Annotated[float, "p, corrected for all changes that were looked at"]

    @property
    def clear(self) -> Annotated[bool, "whether it is more than noise"]:
        return self.corrected < _CHANCE


@dataclass(frozen=True, slots=True)
class CostChange:
    """A cost in both results, and their ratio."""

    dataset: Annotated[str, "its name"]
    ranker: Annotated[str, "its name"]
    what: Annotated[str, "the cost"]
    first: Annotated[float, "in the first result"]
    second: Annotated[float, "in the second result"]

    @property
    def ratio(self) -> Annotated[float, "the second by the first"]:
        return self.second / self.first if self.first else 1.0

    @property
    def clear(self) -> Annotated[bool, "whether it is more than noise"]:
        return not 1 / _SLOWER <= self.ratio <= _SLOWER


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second result against the first."""

    changes: Annotated[list[MeasureChange], "of quality"] = field(default_factory=list)
    costs: Annotated[list[CostChange], "of costs"] = field(default_factory=list)
    notes: Annotated[list[str], "parts that could not be compared"] = field(default_factory=list)


def compare(first: BenchResult, second: BenchResult) -> Comparison:
    """``second`` against ``first``, question by question. Sets whose data differ are named and left out."""
    comparison = Comparison()
    before, after = _datasets(first), _datasets(second)
    for name in sorted(before.keys() ^ after.keys()):
        comparison.notes.append(f"{name} is in one result only")
    if first.facts.machine != second.facts.machine:
        comparison.notes.append("the machines differ, so times say nothing")
    for name, described in before.items():
        if name not in after:
            continue
        if described.fingerprint != after[name].fingerprint:
            comparison.notes.append(f"{name}: the data differ, so nothing is compared")
            continue
        _compare_dataset(first, second, name, comparison)
    corrected = holm({place: change.difference.p for place, change in enumerate(comparison.changes)})
    final = [replace(change, corrected=corrected[place]) for place, change in enumerate(comparison.changes)]
    return Comparison(final, comparison.costs, comparison.notes)


def _compare_dataset(first: BenchResult, second: BenchResult, name: str, comparison: Comparison) -> None:
    common = [ranker for ranker in rankers_of(first, name) if ranker in rankers_of(second, name)]
    missing = set(rankers_of(first, name)) ^ set(rankers_of(second, name))
    comparison.notes.extend(f"{name}: {ranker} is in one result only" for ranker in sorted(missing))
    costs = [{line.ranker: line for line in costs_of(result, name)} for result in (first, second)]
    for ranker in common:
        values = [_values(result, name, ranker) for result in (first, second)]
        before, after = values
        gaps = {measure: [b - a for a, b in zip(before[measure], after[measure], strict=True)] for measure in MEASURES}
        moved = {measure: gap for measure, gap in gaps.items() if any(gap)}
        found = differences(moved, [0.0] * len(before["query"]), first.seed) if moved else {}
        for measure, difference in found.items():
            first_mean, second_mean = fmean(before[measure]), fmean(after[measure])
            comparison.changes.append(MeasureChange(name, ranker, measure, first_mean, second_mean, difference, 1.0))
        for what in ("warm_p50", "cold_p50", "build_seconds", "index_bytes", "memory_bytes"):
            ends = [getattr(side[ranker], what) for side in costs]
            if None not in ends:
                comparison.costs.append(CostChange(name, ranker, what, *ends))


def _values(result: BenchResult, dataset: str, ranker: str) -> Mapping[str, list[Any]]:
    pl = load_polars()
    rows = result.rows.filter(
        (pl.col("dataset") == dataset)
        & (pl.col("ranker") == ranker)
        & (pl.col("part") == COUNTED)
        & pl.col("hit@1").is_not_null()
    )
    found: Mapping[str, list[Any]] = rows.sort("query").to_dict(as_series=False)
    return found


def _datasets(result: BenchResult) -> dict[str, DatasetFacts]:
    return {described.name: described for described in result.facts.datasets}
