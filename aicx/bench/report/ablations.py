"""The effect of each ranking rule, measured with the rule switched off: judged, as tables, and as recommended rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, field, replace
from statistics import fmean
from typing import Annotated, Any

from aicx.bench.dataset import COUNTED
from aicx.bench.rankers import DEFAULT_CHOICES, Choices
from aicx.bench.results import BenchResult
from aicx.bench.statistics import Difference, differences, holm
from aicx.bench.summary import (
    COSTS,
    PRIMARY,
    Cost,
    ReportTable,
    abstentions_of,
    chance,
    cost_cells,
    costs_of,
    parts_of,
    rounded,
    signed,
    values_of,
)
from aicx.bench.variants import ABLATIONS, ASKED, BASES, Ablation
from aicx.fields import INLINE, INTERNAL, taken_from
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a change on one set, or on a part of it that is reported apart."""

    # Negative questions should get no answer, or one labelled as weak; None where the set has none.
    dataset: str = field(metadata=INTERNAL)
    part: str = field(metadata=INTERNAL)
    ranker: str = field(metadata=INTERNAL)
    ablation: Ablation = field(metadata=INTERNAL)
    queries: Annotated[int, "number of questions"]
    difference: Difference = field(metadata=INLINE)
    corrected: Annotated[float, "p, corrected for the number of changes"]
    quiet: Annotated[int | None, "questions that nothing answers, and that got no answer or one labelled as weak"]
    quiet_base: Annotated[int | None, "the same without the change"]

    @property
    def where(self) -> str:
        """The dataset, and which part of it when that is one reported apart."""
        return self.dataset if self.part == COUNTED else f"{self.dataset}: {self.part}"

    @property
    def worse(self) -> bool:
        """Whether the rule has earned its place here: without it, it is worse by more than noise."""
        return self.difference.mean < 0 and self.corrected < _CHANCE

    @property
    def better(self) -> bool:
        return self.difference.mean > 0 and self.corrected < _CHANCE


_CHANCE = 0.05


def effects(result: BenchResult) -> list[Effect]:
    """Every change of an ablation's result, dataset by dataset and part by part."""
    return [
        effect
        for described in result.facts.datasets
        for part in parts_of(result, described.name)
        for ranker in result.facts.settings.rankers
        for effect in _effects(result, described.name, part, ranker)
    ]


def _effects(result: BenchResult, dataset: str, part: str, ranker: str) -> Iterator[Effect]:
    values = values_of(result, dataset, part)
    told = abstentions_of(result, dataset) if part == COUNTED else []
    quiet = {line.ranker: line.quiet for line in told}
    found: list[tuple[Ablation, str, str, Difference]] = []
    for ablation in ABLATIONS:
        name, base = f"{ranker} {ablation.name}", f"{ranker} {ablation.base}".rstrip()
        if {name, base} <= values.keys():
            (difference,) = differences({name: values[name]}, values[base], result.seed).values()
            found.append((ablation, name, base, difference))
    corrected = holm({name: difference.p for _, name, _, difference in found})
    for ablation, name, base, difference in found:
        queries = len(values[name])
        yield Effect(
            dataset, part, ranker, ablation, queries, difference, corrected[name], quiet.get(name), quiet.get(base)
        )


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """The evidence of all sets on one change."""

    ablation: Ablation = field(metadata=INTERNAL)
    change: Annotated[str, "its name"]
    rule: Annotated[str, "the rule that it switches off or changes"]
    mean: Annotated[float, "difference, the mean over the sets"]
    keep: Annotated[bool, "whether the rule stays as it is"]
    earned: Annotated[bool, "whether the rule helps on some set by more than noise"]
    sets: Annotated[Mapping[str, Effect], "set → what the change did there"]


def verdicts(result: BenchResult, ranker: str) -> list[RuleEvidence]:
    """Judges each rule of one ranker by a result, in the order of `ABLATIONS`.

    Its mean counts each set the same, without the parts that are reported apart: those can show what a rule is there
    for, and cannot speak for a change. The rule stays unless the change is better on some set by more than noise and
    worse on none; an answer where there should be none counts as worse. A rule has earned its place that helps on some
    set by more than noise, or keeps answers from where none belong.
    """
    mine = [effect for effect in effects(result) if effect.ranker == ranker]
    by_ablation = {ablation.name: [effect for effect in mine if effect.ablation == ablation] for ablation in ABLATIONS}
    return [_judged(found[0].ablation, found) for found in by_ablation.values() if found]


def _judged(ablation: Ablation, found: Sequence[Effect]) -> RuleEvidence:
    counted = [effect for effect in found if effect.part == COUNTED]
    mean = fmean(effect.difference.mean for effect in counted) if counted else 0.0
    talks = any((effect.quiet or 0) < (effect.quiet_base or 0) for effect in found)
    earned = talks or any(effect.worse for effect in found)
    keep = earned or mean <= 0 or not any(effect.better for effect in counted)
    sets = {effect.where: effect for effect in found}
    return RuleEvidence(ablation, ablation.name, ablation.rule, mean, keep, earned, sets)


def recommended(found: Sequence[RuleEvidence]) -> Choices:
    """Returns the choices that a result recommends. A rule that was not measured stays as it is."""
    choices = DEFAULT_CHOICES
    for verdict in sorted(found, key=lambda verdict: verdict.mean):  # of two changes to one rule the better one stays
        if verdict.keep or not verdict.ablation.of_search:
            continue
        rule, other = verdict.rule, verdict.ablation.choices
        if rule in ASKED:
            choices = replace(choices, **{rule: getattr(other, rule)})
        else:
            choices = replace(choices, rules=replace(choices.rules, **{rule: getattr(other.rules, rule)}))
    return choices


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
        worse = [effect.where for effect in verdict.sets.values() if effect.worse]
        better = [effect.where for effect in verdict.sets.values() if effect.better]
        rows.append(
            [
                verdict.change,
                verdict.rule,
                f"{verdict.mean:+.3f}",
                str(len({effect.dataset for effect in verdict.sets.values()})),
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


def _conclusion(verdict: RuleEvidence) -> str:
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
        Mapping[str, Mapping[str, VariantCost]], "data set → change (empty for the ranker as it is) → what it costs"
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
        evidence=[rounded(verdict) for verdict in found],
    )


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
