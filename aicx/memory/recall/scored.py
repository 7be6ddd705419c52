"""The scores of both lanes for what is considered of a place, what is noted of each, and the answer made of that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from operator import attrgetter

from aicx.memory.answers import MemoryEntry, MemoryScore, entry_of
from aicx.memory.assess import Assessment, Status, assess
from aicx.memory.events import Standing
from aicx.memory.reading import Memory
from aicx.memory.recall.asking import (
    FEW,
    STRENGTHS,
    SUFFICIENT,
    THRESHOLD,
    DegradedLane,
    ExcludedEntry,
    Group,
    Ranked,
    RecallAnswer,
    RecallMethod,
    RecallQuery,
    fused,
    match,
    order,
    relevant,
    select,
)
from aicx.memory.recall.live import LiveTable, live_entry
from aicx.memory.recall.table import QuestionTerms, Table, scores
from aicx.memory.record import Record
from aicx.values import dataclass

_DIGITS = 6
# How many of the best are compared with each other, at least and for each that is shown: what says the same matches
# equally well.
_FEW_ALIKE, _ALIKE = 20, 3
_MIN_RECORDS, _MAX_RECORDS = 100, 5000  # records that are considered, at least and at most
_GROUPS: Mapping[Status, Group] = {"accepted": "agreed", "advisory": "guidance"}

# What answers show without being asked for it.
SHOWN: frozenset[Status] = frozenset({"accepted", "advisory", "candidate"})


@dataclass(slots=True)
class RecallState:
    """The state of a question while it is answered. Records have positive numbers, live statements negative ones."""

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


def rank(found: RecallState, ranked: Ranked, status: str, codes: Sequence[str]) -> None:
    found.ranked.append(ranked)
    found.reasons[ranked.ref] = status, list(codes)


def shown(how: MemoryScore) -> MemoryScore:
    """The score with as many digits as an answer has."""
    return MemoryScore(*(value and round(value, _DIGITS) for value in attrgetter(*MemoryScore.__slots__)(how)))


def leave_out_sources(live: LiveTable, found: RecallState) -> None:
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


def answer_of(query: RecallQuery, found: RecallState, missing: Sequence[str]) -> RecallAnswer:
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
        found.lanes, query.decay, THRESHOLD, sufficient, list(missing), len(entries) + len(found.excluded)
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


@dataclass(frozen=True, slots=True)
class LaneScores:
    """The scores of both lanes by number; None for a lane that did not answer."""

    lexical: Mapping[int, float]
    dense: Mapping[int, float] | None

    def of(self, number: int) -> tuple[float, float | None]:
        return min(1.0, self.lexical.get(number, 0.0)), None if self.dense is None else self.dense.get(number, 0.0)

    def records(self) -> Mapping[int, float]:
        """The fused score of every record that a lane found."""
        found = {**self.lexical, **{number: fused(*self.of(number)) for number in self.dense or ()}}
        return found if min(found, default=0) >= 0 else {number: found[number] for number in found if number > 0}


def score_words(
    question: QuestionTerms, table: Table | None, live: LiveTable
) -> tuple[dict[int, float], Sequence[str]]:
    def read(term: str) -> Mapping[int, int]:
        stated = live.postings.get(term, {})
        kept = table.read(term) if table is not None else {}
        return {**kept, **{-1 - at: impact for at, impact in stated.items()}} if stated else kept

    def count(term: str) -> int:
        return len(live.postings.get(term, ())) + (len(table.read(term)) if table is not None else 0)

    return scores(question, len(live.statements) + (table.size if table is not None else 0), count, read)


def add_live(query: RecallQuery, live: LiveTable, scored: LaneScores, found: RecallState) -> None:
    for at, one in enumerate(live.statements):
        by_words, by_meaning = scored.of(-1 - at)
        kind = "note" if one.source.kind == "memory" else "policy"
        if (by_words or by_meaning) and (not query.kinds or kind in query.kinds):
            how = match(by_words, by_meaning, None, None, query.now, 0.0)
            found.entries[one.ref] = partial(live_entry, one, shown(how), query.scope.repository, query.now)
            rank(found, Ranked(one.ref, "guidance", how, one.source.mtime), "advisory", ["advisory_source"])


def add_records(query: RecallQuery, memory: Memory, table: Table, scored: LaneScores, found: RecallState) -> None:
    most = max(_MIN_RECORDS, min(_MAX_RECORDS, 3 * query.limit))
    best = _best(scored.records(), most, table, query)
    records = memory.read([path for _, path in best])
    wanted = [(number, record) for (number, _), record in zip(best, records, strict=True)]
    if query.kinds:
        wanted = [(number, record) for number, record in wanted if record.kind in query.kinds]
    context = memory.context(record for _, record in wanted)
    every = [(number, assess(record, context)) for number, record in wanted]
    near = sorted(every, key=lambda one: -fused(*scored.of(one[0])))[: max(_FEW_ALIKE, _ALIKE * query.limit)]
    twice = _duplicates([assessed for _, assessed in near]) if query.rules.duplicates else {}
    for number, assessed in every:
        record = assessed.record
        how = match(
            *scored.of(number),
            record.kind,
            _confirmed(assessed, context.standing.get(record.id)),
            query.now,
            STRENGTHS[query.decay],
        )
        codes = [reason.code for reason in assessed.reasons]
        if assessed.status not in SHOWN and assessed.status not in query.statuses:
            because = [{"code": reason.code, **reason.data} for reason in assessed.reasons if reason.data]
            found.leave_out(record.ref, assessed.status, codes, because)
            found.suppressed[assessed.status] += 1
            continue
        if same := twice.get(record.id):
            found.leave_out(record.ref, assessed.status, ["duplicate"], [{"code": "duplicate", "of": same.ref}])
            found.suppressed[assessed.status] += 1
            continue
        found.entries[record.ref] = partial(_entry, assessed, how)
        group = _GROUPS.get(assessed.status, "waiting")
        rank(found, Ranked(record.ref, group, how, record.created_at), assessed.status, codes)


def _duplicates(assessed: Sequence[Assessment]) -> Mapping[str, Record]:
    if len(assessed) < 2:
        return {}
    from aicx.memory.checks import duplicates

    return duplicates(assessed)


def _entry(assessed: Assessment, how: MemoryScore) -> MemoryEntry:
    entry = entry_of(assessed, shown(how))
    return replace(entry, reasons=[*entry.reasons, "relevant_match"])


def _best(scored: Mapping[int, float], most: int, table: Table, query: RecallQuery) -> list[tuple[int, str]]:
    """Number and path of the best ``most`` records that are of the place that is asked in."""

    def is_meant(place: str | None) -> bool:
        return query.everywhere or query.scope.has(place)

    for wanted in (2 * most, len(scored)):
        least = sorted(scored.values())[-wanted] if 0 < wanted < len(scored) else 0.0
        near = [(-score, number) for number, score in scored.items() if score >= least]
        numbers = [number for _, number in sorted(near)]
        found = list(islice(table.places(numbers, is_meant), most))
        if len(found) == most or len(near) == len(scored):
            break
    return found


def _confirmed(assessed: Assessment, standing: Standing | None) -> datetime:
    """When it was stated, accepted by a person, or last passed a validation. Being shown confirms nothing."""
    times = [assessed.record.created_at, *([standing.adopted_at, standing.passed_at] if standing else [])]
    return max(at for at in times if at is not None)
