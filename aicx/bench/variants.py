"""Our rankers with one rule changed, by name, such as ``aicx:static without headers``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal, get_args

from aicx.bench.dataset import TIMELESS
from aicx.bench.rankers import DEFAULT_CHOICES, LONG, Choices, check_name
from aicx.errors import UsageError
from aicx.memory.assess import Status
from aicx.memory.recall.asking import DEFAULT_RULES, RecallQuery, RecallRules
from aicx.values import dataclass
from aicx.why.ranking import Weights
from retrieval.params import FIELDS

_NAME_FIELDS = tuple(name for name in FIELDS if name.endswith("_names"))
_HEADER_FIELDS = ("header", "header_names")
_RULES = DEFAULT_CHOICES.rules
_CHUNKS = replace(DEFAULT_CHOICES, group="chunk")

# What a rule is judged against, by the name it has after a ranker's; the plain ranker has none.
_PLAIN, _IN_CHUNKS, _IN_PLACE = "", "in chunks", "in the repository"
_PLACED = replace(DEFAULT_CHOICES, in_place=True)
BASES = {_PLAIN: DEFAULT_CHOICES, _IN_CHUNKS: _CHUNKS, _IN_PLACE: _PLACED}
_OURS = ("aicx", "lexical", "dense", "rrf", "weighted")

# Choices that belong to a question, not to the rules.
ASKED = ("decay", "lift_dates", "automated")

Needs = Literal["search", "why", "recall", "meaning", "store", "place"]
_STORED: frozenset[Needs] = frozenset({"search", "store"})
_MEANT: frozenset[Needs] = frozenset({"search", "meaning"})


@dataclass(frozen=True, slots=True)
class Ablation:
    """One rule switched off, or another choice in its place.

    ``rule`` is its name in `Rules`, or what else it is called. ``needs`` says where it can make a difference: in
    search, `aicx why` or recall, with vectors, over a store, where questions have a repository. ``base`` is what it is
    compared with. ``index`` is added to the ranker's name where the change is one of the index, which is then built
    beside the other.
    """

    name: str
    rule: str
    choices: Choices
    needs: frozenset[Needs] = frozenset({"search"})
    base: str = _PLAIN
    index: str = ""

    @property
    def of_search(self) -> bool:
        """Whether it is a choice of `RankingParams` or of a search."""
        return "search" in self.needs and not self.index


def _off(name: str, rule: str, *needs: Needs, **changes: Any) -> Ablation:
    choices = replace(DEFAULT_CHOICES, rules=replace(_RULES, **changes))
    return Ablation(name, rule, choices, frozenset({"search", *needs}))


def _in_place(name: str, rule: str, **changes: Any) -> Ablation:
    """A rule that needs the repository that the question is about."""
    choices = replace(_PLACED, rules=replace(_RULES, **changes))
    return Ablation(name, rule, choices, _STORED | {"place"}, base=_IN_PLACE)


def _fields(**weights: float) -> Mapping[str, float]:
    return {**_RULES.fields, **weights}


def _without(*fields: str) -> Mapping[str, float]:
    """A field of no weight would still be searched, and name what is found nowhere else."""
    return {name: weight for name, weight in _RULES.fields.items() if name not in fields}


def _signals() -> Iterator[Ablation]:
    """Each signal of `aicx why` counted for nothing; the least score that is shown stays."""
    for signal in (field.name for field in fields(Weights) if field.name != "least"):
        weights = replace(Weights(), **{signal: 0.0})
        needs: frozenset[Needs] = frozenset({"why", "store"})
        yield Ablation(f"without {signal}", f"why.{signal}", replace(DEFAULT_CHOICES, why=weights), needs)


def _recall(name: str, rule: str, *needs: Needs, rules: RecallRules = DEFAULT_RULES, **changes: Any) -> Ablation:
    """A rule of `aicx search --in memory`."""
    asked = RecallQuery("", TIMELESS, rules=rules, **changes)
    return Ablation(name, f"recall.{rule}", replace(DEFAULT_CHOICES, recall=asked), frozenset({"recall", *needs}))


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
    _off("fewer candidates", "pool", pool=0),
    _off("ten times the candidates", "pool", pool=10 * _RULES.pool),
    _off("fused by ranks", "fusion", "meaning", fusion="reciprocal"),
    _off("fused by weighted scores", "fusion", "meaning", fusion="weighted"),
    _off("words not as a share", "share", "meaning", share=False),
    _off("meaning from lowest to highest", "standardise", "meaning", standardise=False),
    _off("words half as much", "words", "meaning", words={kind: most / 2 for kind, most in _RULES.words.items()}),
    _off("words twice as much", "words", "meaning", words={kind: most * 2 for kind, most in _RULES.words.items()}),
    _off("without late interaction", "rerank", "meaning", rerank=0.0),
    Ablation("long windows", "windows", DEFAULT_CHOICES, _MEANT, index=LONG),
    _off("without meaning", "meaning", "meaning", fusion="weighted", meaning=0.0, meaning_in_lookup=0.0),
    _off("meaning in lookups too", "meaning_in_lookup", "meaning", meaning_in_lookup=_RULES.meaning),
    _off("not looked for word for word", "verbatim", "meaning", verbatim=False),
    _off("never silent by meaning", "abstain", "meaning", abstain=False),
    _off("subagents in full", "subagent", "store", subagent=1.0),
    Ablation("automated sessions in full", "automated", replace(DEFAULT_CHOICES, automated=1.0), _STORED),
    _off("a session's best chunk only", "session_shares", "store", session_shares=(1.0,)),
    _off("a session's weak chunks in full", "session_nearness", "store", session_nearness=0.0),
    Ablation("dates as words", "lift_dates", replace(DEFAULT_CHOICES, lift_dates=False)),
    Ablation("gentle decay", "decay", replace(DEFAULT_CHOICES, decay="gentle"), _STORED),
    Ablation("strong decay", "decay", replace(DEFAULT_CHOICES, decay="strong"), _STORED),
    Ablation(
        "in chunks, one session's not spread",
        "diversity",
        replace(_CHUNKS, rules=replace(_RULES, diversity=1.0)),
        _STORED,
        base=_IN_CHUNKS,
    ),
    _off("commits that tools printed not asked", "sightings", "store", sightings=False),
    _in_place("in the repository, git not asked", "history", history=0.0),
    _in_place("in the repository, like any other", "own_repository", own_repository=0.0),
    *_signals(),
    _recall("without eligibility", "eligibility", statuses=frozenset(get_args(Status))),
    _recall("records of all repositories", "place", everywhere=True),
    _recall("what is old in full", "decay", decay="off"),
    _recall("what is old at half", "decay", decay="strong"),
    _recall("words not asked", "words", "meaning", rules=RecallRules(words=False)),
    _recall("meaning not asked", "meaning", "meaning", rules=RecallRules(meaning=False)),
    _recall("without shares", "shares", rules=RecallRules(shares=False)),
    _recall("weak matches beside good ones", "nearness", rules=RecallRules(nearness=False)),
    _recall("authority does not decide", "authority", rules=RecallRules(authority=False)),
    _recall("the same several times", "duplicates", rules=RecallRules(duplicates=False)),
    _recall("filled where nothing answers", "sufficiency", rules=RecallRules(sufficiency=False)),
)


def ablations(ranker: str, rules: Sequence[str] = (), *, stored: bool, placed: bool = False) -> list[str]:
    """Returns the variants of ``ranker`` to run: everything on, then each rule off that makes a difference.

    Only those of ``rules`` where any are named.
    """
    there = _kinds(ranker) | ({"store"} if stored else set()) | ({"place"} if placed else set())
    able = [one for one in ABLATIONS if one.needs <= there and (not rules or one.rule in rules)]
    return list(dict.fromkeys([_PLAIN, *(one.base for one in able), *(one.name for one in able)]))


def variant(name: str) -> tuple[str, Choices]:
    """The name that decides a ranker's index, and how it is asked. Raises UsageError for a change that there is not."""
    ranker, _, change = name.partition(" ")
    able = {one.name: one for one in ABLATIONS if one.needs <= {*_kinds(ranker), "store", "place"}}
    if change in able:
        return ranker + able[change].index, able[change].choices
    if change not in BASES:
        raise UsageError(f"{ranker} has no rule called {change!r}", hint=f"choose from {', '.join(able) or 'none'}")
    return ranker, BASES[change]


def check_rules(rules: Sequence[str]) -> None:
    """Raises UsageError for a name that is not a rule's."""
    known = dict.fromkeys(ablation.rule for ablation in ABLATIONS)
    for rule in rules:
        if rule not in known:
            raise UsageError(f"there is no rule {rule!r}", hint=f"choose from {', '.join(known)}")


def check_variant(name: str) -> None:
    """Says whether there is such a ranker, before anything is built for it."""
    check_name(name.partition(" ")[0])
    variant(name)


def _kinds(ranker: str) -> set[Needs]:
    """Returns the parts of `Needs` that a ranker has by its name; those of others have no rules of ours."""
    method, _, embedder = ranker.partition(":")
    own: Mapping[str, Needs] = {"why": "why", "memory": "recall"}
    kinds: set[Needs] = {own[method]} if method in own else {"search"} if method in _OURS else set()
    return kinds | ({"meaning"} if embedder else set())
