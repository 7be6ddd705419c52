"""Ablation: the effect of each ranking rule, measured with the rule switched off, set by set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from statistics import fmean
from typing import Annotated

from aicx.bench.dataset import COUNTED
from aicx.bench.rankers import DEFAULT_CHOICES, Choices
from aicx.bench.results import BenchResult
from aicx.bench.statistics import Difference, differences, holm
from aicx.bench.summary import abstentions_of, parts_of, values_of
from aicx.bench.variants import ABLATIONS, ASKED, Ablation
from aicx.fields import INLINE, INTERNAL
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
class AblationVerdict:
    """The verdict of all sets together on one change.

    ``mean`` is over the sets, each counting the same and without the parts that are reported apart: those can show what
    a rule is there for, and cannot speak for a change.
    """

    ablation: Ablation
    mean: float
    effects: Sequence[Effect]

    @property
    def keep(self) -> bool:
        """Whether the default stays: unless the change is better on some set by more than noise and worse on none.

        An answer where there should be none counts as worse.
        """
        talks = any((effect.quiet or 0) < (effect.quiet_base or 0) for effect in self.effects)
        worse = any(effect.worse for effect in self.effects)
        better = any(effect.better for effect in self.effects if effect.part == COUNTED)
        return talks or worse or self.mean <= 0 or not better

    @property
    def earned(self) -> bool:
        """Whether the rule as it is helps on some set by more than noise, or keeps answers from where none belong."""
        return any(effect.worse or (effect.quiet or 0) < (effect.quiet_base or 0) for effect in self.effects)


def verdicts(result: BenchResult, ranker: str) -> list[AblationVerdict]:
    """Judges each rule of one ranker by a result, in the order of `ABLATIONS`."""
    mine = [effect for effect in effects(result) if effect.ranker == ranker]
    found = []
    for ablation in ABLATIONS:
        of_it = [effect for effect in mine if effect.ablation == ablation]
        if of_it:
            counted = [effect.difference.mean for effect in of_it if effect.part == COUNTED]
            found.append(AblationVerdict(ablation, fmean(counted) if counted else 0.0, of_it))
    return found


def recommended(found: Sequence[AblationVerdict]) -> Choices:
    """Returns the choices that a result recommends. A rule that was not measured stays as it is."""
    choices = DEFAULT_CHOICES
    for verdict in sorted(found, key=lambda verdict: verdict.mean):  # of two changes to one rule the better one stays
        if verdict.keep or not verdict.ablation.of_search:
            continue
        rule, other = verdict.ablation.rule, verdict.ablation.choices
        if rule in ASKED:
            choices = replace(choices, **{rule: getattr(other, rule)})
        else:
            choices = replace(choices, rules=replace(choices.rules, **{rule: getattr(other.rules, rule)}))
    return choices
