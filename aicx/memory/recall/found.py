"""What is known while a question is answered, and what becomes of it in the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from aicx.memory.answers import MemoryEntry, MemoryScore
from aicx.memory.recall.answer import DegradedLane, ExcludedEntry, RecallAnswer, RecallMethod
from aicx.memory.recall.asking import RecallQuery
from aicx.memory.recall.live import LiveTable
from aicx.memory.recall.ranking import FEW, SUFFICIENT, THRESHOLD, Match, Ranked, order, relevant, select
from aicx.values import dataclass

if TYPE_CHECKING:
    pass


_DIGITS = 6


@dataclass(slots=True)
class Found:
    """What is known while a question is answered. Records have positive numbers, live statements negative ones."""

    ranked: list[Ranked] = field(default_factory=list)
    entries: dict[str, Callable[[], MemoryEntry]] = field(default_factory=dict)  # by reference; few are ever made
    reasons: dict[str, tuple[str, list[str]]] = field(default_factory=dict)  # what is said if it is not chosen
    excluded: list[ExcludedEntry] = field(default_factory=list)
    suppressed: Counter[str] = field(default_factory=Counter)
    degraded: list[DegradedLane] = field(default_factory=list)
    lanes: list[str] = field(default_factory=list)

    def leave_out(
        self, ref: str, status: str, reasons: Sequence[str], because: Sequence[dict[str, object]] = ()
    ) -> None:
        self.excluded.append(ExcludedEntry(ref, status, list(dict.fromkeys(reasons)), list(because)))


def unavailable(lane: str, note: str) -> DegradedLane:
    return DegradedLane(lane, "lane_unavailable", note)


def rank(found: Found, ranked: Ranked, status: str, codes: Sequence[str]) -> None:
    found.ranked.append(ranked)
    found.reasons[ranked.ref] = status, list(codes)


def shown(how: Match) -> MemoryScore:
    def digits(value: float) -> float:
        return round(value, _DIGITS)

    return MemoryScore(
        None if how.lexical is None else digits(how.lexical),
        None if how.dense is None else digits(how.dense),
        digits(how.fused),
        digits(how.decay),
        digits(how.final),
    )


def leave_out_sources(live: LiveTable, found: Found) -> None:
    """Lists what the policy, or a file itself, keeps from being read, whatever was asked."""
    if live.live is None:
        return
    for source in live.live.sources:
        if source.reason is not None:
            status = "advisory" if source.reason == "duplicate" else "policy_blocked"
            found.leave_out(source.id, status, [source.reason])
            found.suppressed[status] += status == "policy_blocked"
    for blocked in live.live.blocked:
        found.leave_out(blocked.ref, "policy_blocked", [blocked.reason])
        found.suppressed["policy_blocked"] += 1


def answer_of(query: RecallQuery, found: Found, missing: Sequence[str]) -> RecallAnswer:
    near = relevant(found.ranked, query.rules)
    sufficient = any(one.match.fused >= SUFFICIENT for one in near)
    room = query.limit if sufficient or not query.rules.sufficiency else min(query.limit, FEW)
    chosen = select(near, room, query.rules)
    names, fitting = {one.ref for one in chosen}, {one.ref for one in near}
    for one in order(found.ranked):
        if one.ref not in names:
            status, codes = found.reasons[one.ref]
            why = "over_limit" if one.ref in fitting else "below_threshold"
            # What is believed and was left out for another reason comes with that reason first.
            found.leave_out(one.ref, status, [why, *codes])
    entries = [found.entries[one.ref]() for one in chosen]
    method = RecallMethod(
        found.lanes,
        query.decay,
        THRESHOLD,
        sufficient,
        list(missing),
        len(entries) + len(found.excluded),
    )
    return RecallAnswer(
        entries,
        [entry.ref for entry in entries if entry.baseline],
        found.excluded,
        dict(sorted(found.suppressed.items())),
        method,
        query.scope.repository,
        found.degraded,
    )
