"""The order of what recall considers: both lanes on one scale, age as a soft factor, and who may come first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from aicx.memory.answers import MemoryScore
from aicx.memory.record import Kind
from aicx.values import dataclass
from retrieval.decay import Decay, factor

# Below this a match says next to nothing; from here on the best one answers the question.
THRESHOLD, SUFFICIENT = 0.15, 0.4
# The share of the best match that a candidate or a passage has to reach, to be shown beside it.
NEARNESS = 0.5
FEW = 3  # entries where nothing answers the question: an answer is not filled with what hardly fits
# What meaning alone may bring: a statement that is only near never scores as one that has every word.
_TRUST_IN_MEANING = 0.8
# The time constant of each kind, in days: rules outlast what was found out while working.
DAYS: Mapping[Kind, float] = {
    "policy": 365, "preference": 365, "decision": 180, "reference": 180, "procedure": 90, "example": 90,
    "fact": 60, "note": 60, "failure": 45, "eval": 30, "reflection": 30,
}  # fmt: skip
STRENGTHS: Mapping[str, float] = {"off": 0.0, "gentle": 0.5, "strong": 1.0}


@dataclass(frozen=True, slots=True)
class RecallRules:
    """The rules that decide an answer beside status and age, each of which the benchmark can switch off.

    ``words`` and ``meaning`` are the lanes. ``shares`` limits what many can write, ``nearness`` what hardly matches
    beside what does, ``authority`` decides between what matches equally well, ``sufficiency`` shows little where
    nothing answers, ``duplicates`` shows the same once.
    """

    words: bool = True
    meaning: bool = True
    shares: bool = True
    nearness: bool = True
    authority: bool = True
    sufficiency: bool = True
    duplicates: bool = True


DEFAULT_RULES = RecallRules()
# What a person agreed to, what a file advises, what waits for a person, and what was said in sessions.
Group = Literal["agreed", "guidance", "waiting", "evidence"]
# The share of the answer that each may take as long as others have something to say: what many can write, such as a
# long file or the same candidate in ten wordings, does not push out what was agreed.
_SHARES: Mapping[Group, float] = {"agreed": 1.0, "guidance": 0.4, "waiting": 0.2, "evidence": 0.2}
_WRITTEN: frozenset[Group] = frozenset({"agreed", "guidance"})
_RANKS: Mapping[Group, int] = {"agreed": 0, "guidance": 1, "waiting": 2, "evidence": 3}


def fused(lexical: float | None, dense: float | None) -> float:
    """Both scores as one: each lane can only add, and a lane that found nothing takes nothing away."""
    return 1 - (1 - (lexical or 0.0)) * (1 - _TRUST_IN_MEANING * (dense or 0.0))


def match(
    lexical: float | None, dense: float | None, kind: str | None, at: datetime | None, now: datetime, strength: float
) -> MemoryScore:
    """How well something matches. ``final`` is not clamped: of two that are new and match well, the better comes first.

    ``at`` is when it was stated or last confirmed by a person or a validation: being shown changes nothing.

    None for what is as it is now, such as a file.
    """
    base = fused(lexical, dense)
    days = DAYS.get(kind) if at is not None else None  # type: ignore[call-overload]
    if at is None or days is None or not strength:
        return MemoryScore(lexical, dense, base, 1.0, base)
    age = max(0.0, (now - at) / timedelta(days=1))
    clamped, whole = factor(age, Decay(days, strength))
    # As if that much of the evidence spoke for it. Times the score itself, a new half match would pass an old whole
    # one: joined scores are near 1, and near each other, long before everything that was asked is found.
    return MemoryScore(lexical, dense, base, clamped, 1 - (1 - min(1.0, base)) ** whole)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Something that may be shown. ``at`` and ``ref`` break ties: the newer first, then by reference."""

    ref: str
    group: Group
    match: MemoryScore
    at: datetime | None = None


def order(found: Sequence[Ranked], rules: RecallRules = DEFAULT_RULES) -> list[Ranked]:
    """Best first."""
    return sorted(found, key=_key if rules.authority else _key_without_authority)


def relevant(found: Sequence[Ranked], rules: RecallRules = DEFAULT_RULES) -> list[Ranked]:
    """Returns what matches well enough to be shown, alone and beside the best.

    What is agreed and what a file says has to do so alone.
    """
    best = max((one.match.fused for one in found), default=0.0)
    least = max(THRESHOLD, NEARNESS * best if rules.nearness else 0.0)
    return [one for one in found if one.match.fused >= (THRESHOLD if one.group in _WRITTEN else least)]


def select(found: Sequence[Ranked], limit: int, rules: RecallRules = DEFAULT_RULES) -> list[Ranked]:
    """Up to ``limit`` of ``found``, best first: every group within its share, and then whatever has room."""
    ordered = order(found, rules)
    if not rules.shares:
        return ordered[:limit]
    room = {group: max(1, int(limit * share)) for group, share in _SHARES.items()}
    within: list[Ranked] = []
    for one in ordered:
        if room[one.group] and len(within) < limit:
            room[one.group] -= 1
            within.append(one)
    chosen = {one.ref for one in within}
    within += [one for one in ordered if one.ref not in chosen][: limit - len(within)]
    return order(within, rules)


def _key(one: Ranked) -> tuple[float, float, int, float, str]:
    at = one.at.timestamp() if one.at else 0.0
    return -one.match.final, -one.match.fused, _RANKS[one.group], -at, one.ref


def _key_without_authority(one: Ranked) -> tuple[float, float, int, float, str]:
    final, fused, _, at, ref = _key(one)
    return final, fused, 0, at, ref
