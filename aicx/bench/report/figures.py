"""A result's figures as JSON has them: small enough to be kept with the code, and without a question or a document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated, TypeVar

from aicx.bench.facts import DatasetFacts, Machine, RunSettings
from aicx.bench.report.cells import rounded
from aicx.bench.report.tables import DEFAULT_REFERENCE
from aicx.bench.results import BenchResult
from aicx.bench.summary import (
    Abstention,
    Against,
    Cost,
    Quality,
    abstentions_of,
    against,
    costs_of,
    parts_of,
    quality_of,
    rankers_of,
    types_of,
)
from aicx.fields import INLINE, taken_from
from aicx.values import dataclass

Line = TypeVar("Line", Quality, Against, Abstention, Cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReport:
    """One dataset and the figures of each ranker on it."""

    facts: DatasetFacts = field(metadata=INLINE)
    failures: Annotated[Mapping[str, str], "ranker → why it is missing"]
    quality: Annotated[Mapping[str, Mapping[str, Quality]], "part → ranker → its figures"]
    types: Annotated[Mapping[str, Mapping[str, Quality]], "the same by type of question, for the part that counts"]
    against: Annotated[Mapping[str, Against], "ranker → its difference from `reference` in MRR@10"]
    abstention: Annotated[Mapping[str, Abstention], "ranker → how it did where nothing answers"]
    costs: Annotated[Mapping[str, Cost], "ranker → what it costs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchReport:
    """The figures without the rows."""

    made_at: Annotated[str, "time"]
    commit: Annotated[str | None, "of the code"]
    machine: Annotated[Machine, "of it, what decides a time"]
    versions: Annotated[Mapping[str, str], "package → version"]
    settings: Annotated[RunSettings, "as in `aicx.bench/1`"]
    reference: Annotated[str, "the ranker that others are compared with"]
    skipped: Annotated[Sequence[str], "names of datasets that were missing"]
    datasets: Annotated[Sequence[DatasetReport], "those that were measured"]


def figures(result: BenchResult, reference: str = DEFAULT_REFERENCE) -> BenchReport:
    """Makes the figures that `aicx bench report --json` prints and docs/benchmarks.md is made from."""
    facts = result.facts
    return taken_from(
        facts,
        BenchReport,
        machine=replace(facts.machine, release=None),
        reference=reference,
        skipped=[row.name for row in facts.skipped],
        datasets=[_dataset(result, described, reference) for described in facts.datasets],
    )


def _dataset(result: BenchResult, described: DatasetFacts, reference: str) -> DatasetReport:
    name = described.name
    parts = parts_of(result, name)
    compared = reference in rankers_of(result, name) and parts
    return DatasetReport(
        facts=described,
        failures={row.ranker: row.failure for row in result.facts.costs(name) if row.failure},
        quality={part: _by_ranker(quality_of(result, name, part)) for part in parts},
        types={kind: _by_ranker(quality_of(result, name, type=kind)) for kind in types_of(result, name)},
        against=_by_ranker(against(result, name, reference) if compared else ()),
        abstention=_by_ranker(abstentions_of(result, name)),
        costs=_by_ranker(costs_of(result, name)),
    )


def _by_ranker(lines: Iterable[Line]) -> dict[str, Line]:
    return {line.ranker: rounded(line) for line in lines}
