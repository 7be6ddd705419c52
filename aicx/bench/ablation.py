"""Ablation: the effect of each ranking rule, measured with the rule switched off, set by set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

from aicx.bench.dataset import COUNTED
from aicx.bench.rankers import DEFAULT_CHOICES, Choices
from aicx.bench.results import Result
from aicx.bench.statistics import Difference, differences, holm
from aicx.bench.summary import abstentions_of, parts_of, values_of
from retrieval.params import FIELDS

_NAME_FIELDS = tuple(name for name in FIELDS if name.endswith("_names"))
_HEADER_FIELDS = ("header", "header_names")
_RULES = DEFAULT_CHOICES.rules
_CHUNKS = replace(DEFAULT_CHOICES, group="chunk")

# What a rule is judged against, by the name it has after a ranker's; the plain ranker has none.
_PLAIN, _IN_CHUNKS = "", "in chunks"

Needs = Literal["words", "meaning", "store"]


@dataclass(frozen=True, slots=True)
class Ablation:
    """One rule switched off, or another choice in its place.

    ``rule`` is its name in `Rules`, or what else it is called. ``needs`` says where it can make a difference: with any
    ranker of ours, with one that has vectors, over a store only. ``base`` is what it is compared with.
    """

    name: str
    rule: str
    choices: Choices
    needs: frozenset[Needs] = frozenset()
    base: str = _PLAIN


def _off(name: str, rule: str, *needs: Needs, **changes: Any) -> Ablation:
    return Ablation(name, rule, replace(DEFAULT_CHOICES, rules=replace(_RULES, **changes)), frozenset(needs))


def _fields(**weights: float) -> Mapping[str, float]:
    return {**_RULES.fields, **weights}


def _without(*fields: str) -> Mapping[str, float]:
    """A field of no weight would still be searched, and name what is found nowhere else."""
    return {name: weight for name, weight in _RULES.fields.items() if name not in fields}


ABLATIONS: Sequence[Ablation] = (
    _off("without headers", "fields", fields=_without(*_HEADER_FIELDS)),
    _off("tool output in full", "fields", fields=_fields(tool=1.0, tool_names=0.5)),
    _off("reasoning in full", "fields", fields=_fields(thought=1.0, thought_names=0.5)),
    _off("without whole names", "fields", fields=_without(*_NAME_FIELDS)),
    _off("names not as one", "names_as_one", names_as_one=False),
    _off("names by their words too", "names_whole", names_whole=False),
    _off("words not as names", "words_as_names", words_as_names=False),
    _off("looked-up names by any word", "lookup_all", lookup_all=False),
    _off("looked-up names not worth more", "lookup_name", lookup_name=0.0),
    _off("looked-up names not as phrases", "lookup_phrase", lookup_phrase=0.0),
    _off("fused by ranks", "fusion", "meaning", fusion="reciprocal"),
    _off("without meaning", "meaning", "meaning", meaning=0.0, meaning_in_lookup=0.0),
    _off("meaning in lookups too", "meaning_in_lookup", "meaning", meaning_in_lookup=_RULES.meaning),
    _off("not looked for word for word", "verbatim", "meaning", verbatim=False),
    _off("never silent by meaning", "abstain", "meaning", abstain=False),
    _off("subagents in full", "subagent", "store", subagent=1.0),
    _off("a session's best chunk only", "session_shares", "store", session_shares=(1.0,)),
    _off("a session's weak chunks in full", "session_nearness", "store", session_nearness=0.0),
    Ablation("dates as words", "lift_dates", replace(DEFAULT_CHOICES, lift_dates=False)),
    Ablation("gentle decay", "decay", replace(DEFAULT_CHOICES, decay="gentle"), frozenset({"store"})),
    Ablation("strong decay", "decay", replace(DEFAULT_CHOICES, decay="strong"), frozenset({"store"})),
    Ablation(
        "in chunks, one session's not spread",
        "diversity",
        replace(_CHUNKS, rules=replace(_RULES, diversity=1.0)),
        frozenset({"store"}),
        base=_IN_CHUNKS,
    ),
)


def ablations(ranker: str, *, stored: bool) -> dict[str, Choices]:
    """What to run ``ranker`` with, by name: everything on first, then each rule off that can make a difference."""
    there: set[Needs] = {"words"}
    if ":" in ranker:
        there.add("meaning")
    if stored:
        there.add("store")
    able = [ablation for ablation in ABLATIONS if ablation.needs <= there]
    bases = {_PLAIN: DEFAULT_CHOICES} | ({_IN_CHUNKS: _CHUNKS} if stored else {})
    return bases | {ablation.name: ablation.choices for ablation in able}


@dataclass(frozen=True, slots=True)
class Effect:
    """What one change did to a ranker on one part of a dataset: its mean on the primary measure minus the base's.

    ``corrected`` is p for all changes to that ranker on that part together. ``quiet`` and ``quiet_base`` count
    negative questions without an answer or with one labelled weak, as they should get; None where the dataset has none.
    """

    dataset: str
    part: str
    ranker: str
    ablation: Ablation
    queries: int
    difference: Difference
    corrected: float
    quiet: int | None
    quiet_base: int | None

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


def effects(result: Result) -> list[Effect]:
    """Every change of an ablation's result, dataset by dataset and part by part."""
    return [
        effect
        for described in result.facts["datasets"]
        for part in parts_of(result, described["name"])
        for ranker in result.facts["settings"]["rankers"]
        for effect in _effects(result, described["name"], part, ranker)
    ]


def _effects(result: Result, dataset: str, part: str, ranker: str) -> Iterator[Effect]:
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
class Verdict:
    """What all sets together say of one change.

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


def verdicts(result: Result, ranker: str) -> list[Verdict]:
    """What a result says of each rule of one ranker, in the order of `ABLATIONS`."""
    mine = [effect for effect in effects(result) if effect.ranker == ranker]
    found = []
    for ablation in ABLATIONS:
        of_it = [effect for effect in mine if effect.ablation == ablation]
        if of_it:
            counted = [effect.difference.mean for effect in of_it if effect.part == COUNTED]
            found.append(Verdict(ablation, fmean(counted) if counted else 0.0, of_it))
    return found


def recommended(found: Sequence[Verdict]) -> Choices:
    """What a result recommends. What was not measured stays as it is."""
    choices = DEFAULT_CHOICES
    for verdict in sorted(found, key=lambda verdict: verdict.mean):  # of two changes to one rule the better one stays
        if verdict.keep:
            continue
        rule, other = verdict.ablation.rule, verdict.ablation.choices
        if rule in ("decay", "lift_dates"):
            choices = replace(choices, **{rule: getattr(other, rule)})
        else:
            choices = replace(choices, rules=replace(choices.rules, **{rule: getattr(other.rules, rule)}))
    return choices
