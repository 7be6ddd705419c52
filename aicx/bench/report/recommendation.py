"""The rules that an ablation recommends, with what speaks for each, as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from aicx.bench.ablation import AblationVerdict, Effect, recommended, verdicts
from aicx.bench.report.ablations import change_names
from aicx.bench.report.cells import rounded
from aicx.bench.results import BenchResult
from aicx.bench.summary import PRIMARY, costs_of
from aicx.fields import taken_from
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class VariantCost:
    """The costs of a ranker with a change; null for what was not measured."""

    index_bytes: Annotated[int, "size of its index"]
    build_seconds: Annotated[float | None, "to build it"]
    warm_p50: Annotated[float, "median milliseconds of a question in one process"]
    cold_ratio: Annotated[float | None, "median of a whole process by that of a bare interpreter started beside"]


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """The evidence of all sets on one change."""

    change: Annotated[str, "its name"]
    rule: Annotated[str, "the rule that it switches off or changes"]
    mean: Annotated[float, "difference, the mean over the sets"]
    keep: Annotated[bool, "whether the rule stays as it is"]
    earned: Annotated[bool, "whether the rule helps on some set by more than noise"]
    sets: Annotated[Mapping[str, Effect], "set → what the change did there"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchRecommendation:
    """One object for each ranker of an ablation."""

    made_at: Annotated[str, "time of the result"]
    commit: Annotated[str | None, "of the code"]
    ranker: Annotated[str, "its name"]
    datasets: Annotated[Mapping[str, str], "name → fingerprint"]
    measure: Annotated[str, "what was compared"]
    rules: Annotated[Mapping[str, Any], "the recommended rules"]
    decay: Annotated[str, "the recommended decay"]
    lift_dates: Annotated[bool, "whether a time in a question is to limit it"]
    automated: Annotated[float, "the recommended factor for a session that a program ran"]
    costs: Annotated[
        Mapping[str, Mapping[str, VariantCost]],
        "data set → change (empty for the ranker as it is) → what it costs",
    ]
    evidence: Annotated[Sequence[RuleEvidence], "one for each change"]


def recommendation(result: BenchResult, ranker: str) -> BenchRecommendation:
    """The rules that a result recommends for one ranker."""
    found = verdicts(result, ranker)
    choices = recommended(found)
    return BenchRecommendation(
        made_at=result.facts.made_at,
        commit=result.facts.commit,
        ranker=ranker,
        datasets={described.name: described.fingerprint for described in result.facts.datasets},
        measure=PRIMARY,
        rules=asdict(choices.rules),
        decay=choices.decay,
        lift_dates=choices.lift_dates,
        automated=choices.automated,
        costs=_costs(result, ranker),
        evidence=[rounded(_evidence(verdict)) for verdict in found],
    )


def _evidence(verdict: AblationVerdict) -> RuleEvidence:
    sets = {effect.where: effect for effect in verdict.effects}
    return RuleEvidence(verdict.ablation.name, verdict.ablation.rule, verdict.mean, verdict.keep, verdict.earned, sets)


def _costs(result: BenchResult, ranker: str) -> dict[str, dict[str, VariantCost]]:
    """Dataset -> change -> what it costs; the ranker as it is has no name."""
    names = change_names(ranker)
    return {
        described.name: {
            names[line.ranker]: rounded(taken_from(line, VariantCost))
            for line in costs_of(result, described.name)
            if line.ranker in names
        }
        for described in result.facts.datasets
    }
