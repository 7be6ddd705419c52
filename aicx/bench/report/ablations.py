"""The effect of each rule, as tables: set by set, and all sets together; and the rules that an ablation recommends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from aicx.bench.ablation import AblationVerdict, Effect, effects, recommended, verdicts
from aicx.bench.dataset import COUNTED
from aicx.bench.report.cells import COSTS, ReportTable, chance, cost_cells, rounded, signed
from aicx.bench.results import BenchResult
from aicx.bench.summary import PRIMARY, Cost, costs_of
from aicx.bench.variants import ABLATIONS, BASES
from aicx.fields import taken_from
from aicx.values import dataclass


def effect_tables(result: BenchResult, dataset: str) -> list[ReportTable]:
    """A table for each ranker whose rules were switched off on this dataset, and for each of its parts."""
    found = [effect for effect in effects(result) if effect.dataset == dataset]
    wholes = dict.fromkeys((effect.ranker, effect.part) for effect in found)
    tables = [_table([effect for effect in found if (effect.ranker, effect.part) == whole]) for whole in wholes]
    costs = {line.ranker: line for line in costs_of(result, dataset)}
    rankers = dict.fromkeys(effect.ranker for effect in found)
    return [*tables, *(_cost_table(ranker, costs) for ranker in rankers)]


def _cost_table(ranker: str, costs: Mapping[str, Cost]) -> ReportTable:
    """Tabulates the cost of each change: its own figures, those of the ranker as it is first."""
    names = change_names(ranker)
    rows = [
        [name.removeprefix(ranker).strip() or "as it is", *cost_cells(costs[name])] for name in names if name in costs
    ]
    note = (
        "Cold: processes that ask once, without the command line, as a multiple of a bare interpreter. Changes without "
        "an index of their own share one with the ranker as it is."
    )
    return ReportTable(f"Cost: {ranker}", note, ["change", *COSTS], rows)


def _table(found: Sequence[Effect]) -> ReportTable:
    title = f"Each rule off in turn: {found[0].ranker}"
    if found[0].part != COUNTED:
        title += f", apart: {found[0].part}"
    negatives = any(effect.quiet is not None for effect in found)
    rows = []
    for effect in found:
        row = [effect.ablation.name, effect.ablation.rule, signed(effect.difference), chance(effect.corrected)]
        if negatives:
            row.append(f"{effect.quiet} (was {effect.quiet_base})")
        rows.append([*row, "worse" if effect.worse else "better" if effect.better else ""])
    note = (
        f"n = {found[0].queries}. {PRIMARY} with the change minus {PRIMARY} without it, with its 95 % interval (paired "
        "bootstrap); p: paired randomisation test, corrected for the number of changes (Holm). What is below zero "
        "speaks for the rule as it is."
    )
    head = ["change", "rule", PRIMARY, "p", *(["none or weak on negatives"] if negatives else []), "more than noise"]
    return ReportTable(title, note, head, rows)


def verdict_table(result: BenchResult, ranker: str) -> ReportTable:
    """All sets together: what each change does on average, where it is more than noise, what follows from it."""
    rows = []
    for verdict in verdicts(result, ranker):
        worse = [effect.where for effect in verdict.effects if effect.worse]
        better = [effect.where for effect in verdict.effects if effect.better]
        rows.append(
            [
                verdict.ablation.name,
                verdict.ablation.rule,
                f"{verdict.mean:+.3f}",
                str(len({effect.dataset for effect in verdict.effects})),
                ", ".join(worse) or "-",
                ", ".join(better) or "-",
                _conclusion(verdict),
            ]
        )
    note = (
        "Mean over the sets, each counting the same, without what is reported apart. A rule has earned its place when "
        "some set is worse without it by more than noise, or has answers where none belong. It gives way only to a "
        "change that is better on some set by more than noise, worse on none, and better on average."
    )
    return ReportTable(
        f"All sets: {ranker}", note, ["change", "rule", PRIMARY, "sets", "worse on", "better on", "the rule"], rows
    )


def change_names(ranker: str) -> dict[str, str]:
    """Returns a ranker's name with each change, and the change: the one that others are compared with comes first."""
    changes = [*BASES, *(ablation.name for ablation in ABLATIONS)]
    return {f"{ranker} {change}".rstrip(): change for change in changes}


def _conclusion(verdict: AblationVerdict) -> str:
    if not verdict.keep:
        return "gives way"
    return "earned" if verdict.earned else "kept, not shown to matter"


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
    return taken_from(
        choices,
        BenchRecommendation,
        made_at=result.facts.made_at,
        commit=result.facts.commit,
        ranker=ranker,
        datasets={described.name: described.fingerprint for described in result.facts.datasets},
        measure=PRIMARY,
        rules=asdict(choices.rules),
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
