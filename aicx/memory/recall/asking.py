"""A question to the memory, the order of what is considered for it, and its answer: `aicx.memory-recall/1`.

Both lanes are on one scale, age is a soft factor, and groups say who may come first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

from aicx.memory.answers import MemoryEntry, MemoryScore
from aicx.memory.reading import Scope
from aicx.memory.record import Kind
from aicx.values import dataclass
from retrieval.decay import Decay, factor

if TYPE_CHECKING:
    from aicx.memory.sources_files import Named


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


DEFAULT_LIMIT = 8
SCHEMA = "aicx.memory-recall/1"


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A question to the memory of ``scope``, with its own clock.

    ``statuses`` are shown beside those that are shown anyway. ``named`` are live sources outside the repository.
    """

    text: str
    now: datetime
    scope: Scope = field(default_factory=Scope)
    limit: int = DEFAULT_LIMIT
    everywhere: bool = False
    kinds: tuple[str, ...] = ()
    statuses: frozenset[str] = frozenset()
    with_evidence: bool = False
    named: tuple[Named, ...] = ()
    decay: str = "gentle"
    rules: RecallRules = DEFAULT_RULES


@dataclass(frozen=True, slots=True)
class ExcludedEntry:
    """A record or statement that was considered and is not among the entries. It has no text."""

    ref: Annotated[str, "its reference"]
    status: Annotated[str, "what may be believed of it, as in an entry"]
    reasons: Annotated[list[str], "codes of the closed list, the deciding one first"]
    because: Annotated[list[dict[str, Any]], "those that are about something, with it: the anchor that changed"]


@dataclass(frozen=True, slots=True)
class RecallMethod:
    """How the entries were found. Nothing in it depends on the time it took."""

    lanes: Annotated[list[str], "what answered: `lexical`, `dense`, `evidence`"]
    decay: Annotated[str, "`off`, `gentle` or `strong`"]
    threshold: Annotated[float, "the least fused score of an entry"]
    sufficient: Annotated[bool, "whether an entry matches well; where it is false, the memory has no answer"]
    missing: Annotated[list[str], "words of the question that occur nowhere in the memory"]
    considered: Annotated[int, "how many references are in `entries` and `excluded`"]


@dataclass(frozen=True, slots=True)
class DegradedLane:
    """A way of searching that did not answer, or not with everything; the others did."""

    lane: Annotated[str, "`lexical`, `dense` or `evidence`"]
    reason: Annotated[str, "`lane_unavailable`"]
    note: Annotated[str, "what is wrong, and the next step"]


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Every considered reference is in ``entries`` or in ``excluded``, once."""

    entries: Annotated[list[MemoryEntry], "best first; what is stated is evidence unless its usage says otherwise"]
    baseline: Annotated[list[str], "references of the entries that are agreed"]
    excluded: Annotated[list[ExcludedEntry], "what was considered besides, and why it is not among them"]
    suppressed: Annotated[dict[str, int], "of what is excluded because of its status: status -> how many"]
    method: Annotated[RecallMethod, "how they were found"]
    repository: Annotated[str | None, "whose records were asked, beside those that hold everywhere"]
    degraded: Annotated[list[DegradedLane], "ways of searching that did not answer, or not with everything"]
