"""Figures of a result, ranker by ranker: means with intervals, differences with their chance, times and sizes.

Answers are labelled too: where nothing answers a question, right is no answer or one labelled as weak evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from math import ceil
from statistics import median
from typing import Annotated, Any

from aicx.bench.dataset import COUNTED, MEASURES
from aicx.bench.results import BenchResult
from aicx.bench.statistics import Difference, differences, holm, intervals
from aicx.engine.index_answer import Interval
from aicx.fields import INLINE, INTERNAL
from aicx.values import dataclass
from retrieval.evidence import Evidence

PRIMARY = "MRR@10"
_SLOW = 0.95


@dataclass(frozen=True, slots=True)
class Quality:
    """One ranker on the questions of one dataset, part and type, by measure."""

    ranker: str = field(metadata=INTERNAL)
    queries: Annotated[int, "number of questions"]
    measures: Annotated[dict[str, Interval], "for each measure, under its name"] = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class Against:
    """One ranker against another, on the primary measure."""

    ranker: str = field(metadata=INTERNAL)
    difference: Difference = field(metadata=INLINE)
    corrected: Annotated[float, "p, corrected for the number of rankers"]


@dataclass(frozen=True, slots=True)
class Abstention:
    """How a ranker did on questions that nothing answers, and what its warnings are worth."""

    ranker: str = field(metadata=INTERNAL)
    negatives: Annotated[int, "number of questions that nothing answers"]
    abstained: Annotated[int, "those of them that got no answer, as they should"]
    weak: Annotated[int, "those of them that got an answer labelled as weak evidence, as they should"]
    answerable: Annotated[int, "number of questions with an answer"]
    lost: Annotated[int, "those of them that got no answer, which is wrong"]
    doubted: Annotated[int, "those of them that got an answer labelled as weak evidence, which is wrong"]
    precision: Annotated[
        float | None, "share of negative questions among all without a strong answer; null where every question got one"
    ]
    labels: Annotated[bool, "whether the ranker labels its answers at all"]

    @property
    def quiet(self) -> int:
        """Negative questions that got what they should."""
        return self.abstained + self.weak


@dataclass(frozen=True, slots=True)
class Cost:
    """The costs of a ranker; null for what was not measured."""

    ranker: str = field(metadata=INTERNAL)
    warm_p50: Annotated[float, "median milliseconds of a question in one process"]
    warm_p95: Annotated[float, "milliseconds that 95 % of these do not exceed"]
    cold_p50: Annotated[float | None, "median milliseconds of a whole process that asks once"]
    cold_p95: Annotated[float | None, "milliseconds that 95 % of these do not exceed"]
    cold_ratio: Annotated[float | None, "median of a whole process by that of a bare interpreter started beside"]
    build_seconds: Annotated[float | None, "to build its index"]
    index_bytes: Annotated[int, "size of its index"]
    memory_bytes: Annotated[int, "the most memory its process held"]
    base_bytes: Annotated[int, "memory before it began: the documents and Python"]
    tokens: Annotated[float | None, "mean of what ten answers hand over"]


def rankers_of(result: BenchResult, dataset: str) -> list[str]:
    """The rankers that answered, in the order they were run."""
    return [row.ranker for row in result.facts.costs(dataset) if not row.failure]


def parts_of(result: BenchResult, dataset: str) -> list[str]:
    """The parts of a dataset that have questions with answers, the one that counts first."""
    rows = _judged(result, dataset)
    parts = rows["part"].unique(maintain_order=True).to_list()
    return sorted(parts, key=lambda part: part != COUNTED)


def types_of(result: BenchResult, dataset: str) -> list[str]:
    rows = _judged(result, dataset)
    return sorted(rows.filter(rows["part"] == COUNTED)["type"].unique().to_list())


def quality_of(result: BenchResult, dataset: str, part: str = COUNTED, type: str | None = None) -> list[Quality]:
    """Each ranker's means and intervals, over the same resampled questions."""
    columns = _columns(result, dataset, part, type)
    found = intervals(
        {(ranker, measure): values for ranker, by_measure in columns.items() for measure, values in by_measure.items()},
        result.seed,
    )
    return [
        Quality(ranker, len(by_measure[PRIMARY]), {measure: found[ranker, measure] for measure in MEASURES})
        for ranker, by_measure in columns.items()
    ]


def against(result: BenchResult, dataset: str, reference: str) -> list[Against]:
    """Every other ranker's difference from ``reference`` on the questions that count."""
    columns = values_of(result, dataset)
    base = columns.pop(reference)
    found = differences(columns, base, result.seed)
    corrected = holm({ranker: difference.p for ranker, difference in found.items()})
    return [Against(ranker, difference, corrected[ranker]) for ranker, difference in found.items()]


def values_of(result: BenchResult, dataset: str, part: str = COUNTED) -> dict[str, list[float]]:
    """Ranker -> the primary measure of each question of a part, in one order for all rankers."""
    return {ranker: measures[PRIMARY] for ranker, measures in _columns(result, dataset, part, None).items()}


def abstentions_of(result: BenchResult, dataset: str) -> list[Abstention]:
    """How each ranker did on negative questions; nothing for a dataset without any."""
    rows = _of(result, dataset)
    found = []
    for ranker in rankers_of(result, dataset):
        mine = rows.filter(rows["ranker"] == ranker)
        answered = mine.filter(mine["answers"].is_not_null())  # a failure is not silence
        negative: Counter[Evidence] = Counter()
        others: Counter[Evidence] = Counter()
        for kind, answers, evidence in answered.select("type", "answers", "evidence").iter_rows():
            (negative if kind == "negative" else others)[label_of(answers, evidence)] += 1
        asked = int((mine["type"] == "negative").sum())
        if asked:
            right = negative["weak"] + negative["none"]  # told that there may be nothing
            quiet = right + others["weak"] + others["none"]
            found.append(
                Abstention(
                    ranker,
                    negatives=asked,
                    abstained=negative["none"],
                    weak=negative["weak"],
                    answerable=len(mine) - asked,
                    lost=others["none"],
                    doubted=others["weak"],
                    precision=right / quiet if quiet else None,
                    labels=bool(mine["evidence"].is_not_null().any()),
                )
            )
    return found


def label_of(answers: int, evidence: Evidence | None) -> Evidence:
    """The label of a ranker's answers; those of one that labels none count as strong."""
    return evidence or ("strong" if answers else "none")


def costs_of(result: BenchResult, dataset: str) -> list[Cost]:
    rows = _of(result, dataset)
    noted = {row.ranker: row for row in result.facts.costs(dataset)}
    found = []
    for ranker in rankers_of(result, dataset):
        mine = rows.filter(rows["ranker"] == ranker)
        taken = noted[ranker]
        warm, cold, bare = mine["seconds"].to_list(), taken.cold_seconds, taken.bare_seconds
        found.append(
            Cost(
                ranker,
                warm_p50=_milliseconds(warm, 0.5) or 0.0,
                warm_p95=_milliseconds(warm, _SLOW) or 0.0,
                cold_p50=_milliseconds(cold, 0.5),
                cold_p95=_milliseconds(cold, _SLOW),
                cold_ratio=median(cold) / median(bare) if cold else None,
                build_seconds=taken.build_seconds,
                index_bytes=taken.index_bytes,
                memory_bytes=taken.peak_bytes,
                base_bytes=taken.base_bytes,
                tokens=mine["tokens"].mean(),
            )
        )
    return found


def _columns(result: BenchResult, dataset: str, part: str, type: str | None) -> dict[str, dict[str, list[float]]]:
    """Ranker -> measure -> a value for each question, the same questions in the same order for every ranker."""
    rows = _judged(result, dataset)
    rows = rows.filter(rows["part"] == part)
    if type is not None:
        rows = rows.filter(rows["type"] == type)
    return {
        ranker: {measure: mine[measure].to_list() for measure in MEASURES}
        for ranker in rankers_of(result, dataset)
        if len(mine := rows.filter(rows["ranker"] == ranker).sort("query"))
    }


def _of(result: BenchResult, dataset: str) -> Any:
    return result.rows.filter(result.rows["dataset"] == dataset)


def _judged(result: BenchResult, dataset: str) -> Any:
    """The rows of questions that have an answer."""
    rows = _of(result, dataset)
    return rows.filter(rows[PRIMARY].is_not_null())


def _milliseconds(seconds: Sequence[float], share: float) -> float | None:
    """The least of ``seconds`` that ``share`` of them do not exceed (the nearest rank), in milliseconds."""
    if not seconds:
        return None
    return 1000 * sorted(seconds)[ceil(share * len(seconds)) - 1]


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
