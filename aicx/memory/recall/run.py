"""Recall: asks the records of a place and its instruction files, and says of each considered one what became of it."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Self

from aicx.api.answers.memory import MemoryEntry, MemoryScore
from aicx.api.answers.memory_recall import DegradedLane, ExcludedEntry, RecallAnswer, RecallMethod
from aicx.config import Settings
from aicx.errors import AicxError, UsageError
from aicx.memory.assess import Assessment, Status, assess
from aicx.memory.entry import entry_of
from aicx.memory.events import Standing
from aicx.memory.policy import Policy
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.reading import Memory, Scope, find_scope
from aicx.memory.recall.live import LiveReader, LiveTable, live_entry
from aicx.memory.recall.meaning import Meaning
from aicx.memory.recall.quick import QuickIndex, folders_now, keep_look, known_look, quick_scope
from aicx.memory.recall.ranking import (
    DEFAULT_RULES,
    FEW,
    STRENGTHS,
    SUFFICIENT,
    THRESHOLD,
    Group,
    Match,
    Ranked,
    RecallRules,
    fused,
    match,
    order,
    relevant,
    select,
)
from aicx.memory.recall.table import Table
from aicx.memory.recall.terms import Asked, asked, scores
from aicx.memory.record import Record

if TYPE_CHECKING:
    from aicx.engine.search import Searcher
    from aicx.memory.sources import LiveStatement
    from aicx.memory.sources_places import Named

# How many of the best are compared with each other, at least and for each that is shown: what says the same matches
# equally well.
_FEW_ALIKE, _ALIKE = 20, 3
_FEWEST, _MOST = 100, 5000  # records that are considered, at least and at most
_GROUPS: Mapping[Status, Group] = {"accepted": "agreed", "advisory": "guidance"}
# What answers show without being asked for it.
SHOWN: frozenset[Status] = frozenset({"accepted", "advisory", "candidate"})
DEFAULT_LIMIT = 8
# So soon after a look at every file a question that nothing answers is not worth another.
_SECONDS_TO_TRUST = 2.0
_DIGITS = 6


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


@dataclass(slots=True)
class _Found:
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


def recall(settings: Settings, query: RecallQuery) -> RecallAnswer:
    """Answers one question; see `Recaller.recall`. For several, keep a `Recaller`."""
    with Recaller(settings) as recaller:
        return recaller.recall(query)


class Recaller:
    """A memory that is asked again and again: what was opened for one question serves the next.

    Reads only, apart from tables that are derived from the records. Not for several threads at once.
    """

    def __init__(self, settings: Settings, searcher: Searcher | None = None) -> None:
        self._settings, self._searcher = settings, searcher
        self._live = LiveReader(settings)
        self._meaning = Meaning(settings)
        self._table: Table | None = None
        self._index: QuickIndex | None = None
        self._looked = -inf  # on the clock of this process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes what is open; a later question opens it again."""
        self._close_index()
        if self._table is not None:
            self._table.close()
            self._table = None

    def _close_index(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def scope(self, folder: Path) -> Scope:
        """The repository of ``folder``, as `find_scope` finds it. Raises NotFound where there is no such folder."""
        if not self._settings.layout.memory.is_dir():
            return find_scope(self._settings, folder)
        self._table = self._table or Table(self._settings.layout.memory_recall)
        return quick_scope(self._settings, folder, self._table)

    def recall(self, query: RecallQuery) -> RecallAnswer:
        """Answers a question. Raises UsageError for one without words, MalformedPolicy before anything is read."""
        policy = policy_in(self._settings, query.scope)
        question = asked(query.text)
        if question.empty:
            raise UsageError("nothing is left to look for", hint="ask with words that are not among the most common")
        live = self._live.read(query.scope.root, policy, query.named)
        found, missing = self._ask(query, question, policy, live)
        _leave_out_sources(live, found)
        if query.with_evidence:
            self._add_passages(query, policy, found)
        return _answer(query, found, missing)

    def _ask(
        self, query: RecallQuery, question: Asked, policy: Policy, live: LiveTable
    ) -> tuple[_Found, Sequence[str]]:
        layout = self._settings.layout
        if not layout.memory.is_dir():  # nothing was ever remembered here, and nothing is made for it
            return self._ask_records(query, question, live, None, None)
        damaged: list[DegradedLane] = []
        for attempt in range(2):
            try:
                table = self._table = self._table or Table(layout.memory_recall)
                found, missing = self._ask_table(query, question, policy, live, table)
            except (sqlite3.DatabaseError, ValueError) as error:  # of the table: its own numbers do not fit
                if attempt or self._table is None:
                    raise
                self._table.start_anew()
                damaged.append(_unavailable("lexical", f"its table was damaged and made anew ({error})"))
            else:
                break
        found.degraded += damaged
        return found, missing

    def _ask_table(
        self, query: RecallQuery, question: Asked, policy: Policy, live: LiveTable, table: Table
    ) -> tuple[_Found, Sequence[str]]:
        """Asks the memory as it was last found where that will do, and after a look at every file where it will not."""
        settings = self._settings
        table.refresh()
        if look := known_look(settings.layout, table):
            if self._index is None or self._index.look != look:
                self._close_index()
                self._index = QuickIndex(settings.layout, look)
            index = self._index
            index.prepare()
            memory = Memory(settings, query.scope, query.now, of_records(policy), index)
            found, missing = self._ask_records(query, question, live, memory, table)
            is_answered = any(one.match.fused >= SUFFICIENT for one in found.ranked)
            just_looked = time.monotonic() - self._looked < _SECONDS_TO_TRUST
            if not index.behind and (is_answered or just_looked):
                return found, missing
        self._close_index()
        folders = folders_now(settings.layout)
        with Memory.open(settings, query.now, scope=query.scope, policy=of_records(policy)) as memory:
            table.sync(memory.versions(), memory.read)
            keep_look(table, folders, memory.twice)
            self._looked = time.monotonic()
            return self._ask_records(query, question, live, memory, table)

    def _ask_records(
        self, query: RecallQuery, question: Asked, live: LiveTable, memory: Memory | None, table: Table | None
    ) -> tuple[_Found, Sequence[str]]:
        found = _Found()
        by_words, missing = _by_words(question, table, live)
        if query.rules.words:
            found.lanes.append("lexical")
        else:
            by_words = {}
        scored = Scored(by_words, self._by_meaning(query, table, live, memory, found))
        _add_live(query, live, scored, found)
        if memory is not None and table is not None:
            _add_records(query, memory, table, scored, found)
        return found, missing

    def _add_passages(self, query: RecallQuery, policy: Policy, found: _Found) -> None:
        # Imported here: most questions are to the memory alone.
        from aicx.engine.search import Searcher, SearchQuery
        from aicx.memory.recall.chunks import passages

        searcher = self._searcher or Searcher(self._settings)
        try:
            search = SearchQuery(query.text, query.now, limit=query.limit, lift_dates=False, place=query.scope.root)
            for entry, how, blocked in passages(searcher, search, policy):
                if blocked:
                    found.leave_out(entry.ref, "policy_blocked", [blocked])
                    found.suppressed["policy_blocked"] += 1
                else:
                    found.entries[entry.ref] = partial(replace, entry, score=_shown(how))
                    _rank(found, Ranked(entry.ref, "evidence", how, None), entry.status, entry.reasons[:-1])
        except AicxError as error:
            found.degraded.append(_unavailable("evidence", f"{error.message}; next: {error.hint}"))
        else:
            found.lanes.append("evidence")
        finally:
            if self._searcher is None:
                searcher.close()

    def _by_meaning(
        self, query: RecallQuery, table: Table | None, live: LiveTable, memory: Memory | None, found: _Found
    ) -> Mapping[int, float] | None:
        """None where that lane does not answer; a corpus without it lacks nothing."""
        if not query.rules.meaning or not self._meaning.wanted:
            return None
        try:
            near, notes = self._meaning.near(query.text, table, live, memory.read if memory else None)
        except (AicxError, ImportError) as error:
            hint = f"; next: {error.hint}" if isinstance(error, AicxError) and error.hint else ""
            found.degraded.append(_unavailable("dense", f"{error}{hint}"))
            return None
        found.lanes.append("dense")
        found.degraded += [_unavailable("dense", note) for note in notes]
        return near


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of both lanes by number; None for a lane that did not answer."""

    lexical: Mapping[int, float]
    dense: Mapping[int, float] | None

    def of(self, number: int) -> tuple[float, float | None]:
        return min(1.0, self.lexical.get(number, 0.0)), None if self.dense is None else self.dense.get(number, 0.0)

    def records(self) -> Mapping[int, float]:
        """The fused score of every record that a lane found."""
        found = {**self.lexical, **{number: fused(*self.of(number)) for number in self.dense or ()}}
        return found if min(found, default=0) >= 0 else {number: found[number] for number in found if number > 0}


def _unavailable(lane: str, note: str) -> DegradedLane:
    return DegradedLane(lane, "lane_unavailable", note)


def _by_words(question: Asked, table: Table | None, live: LiveTable) -> tuple[dict[int, float], Sequence[str]]:
    def read(term: str) -> Mapping[int, int]:
        stated = live.postings.get(term, {})
        kept = table.read(term) if table is not None else {}
        return {**kept, **{-1 - at: impact for at, impact in stated.items()}} if stated else kept

    def count(term: str) -> int:
        return len(live.postings.get(term, ())) + (len(table.read(term)) if table is not None else 0)

    return scores(question, len(live.statements) + (table.size if table is not None else 0), count, read)


def _add_live(query: RecallQuery, live: LiveTable, scored: Scored, found: _Found) -> None:
    for at, one in enumerate(live.statements):
        by_words, by_meaning = scored.of(-1 - at)
        if (by_words or by_meaning) and (not query.kinds or _kind_of(one) in query.kinds):
            how = match(by_words, by_meaning, None, None, query.now, 0.0)
            found.entries[one.ref] = partial(live_entry, one, _shown(how), query.scope.repository, query.now)
            _rank(found, Ranked(one.ref, "guidance", how, one.source.mtime), "advisory", ["advisory_source"])


def _kind_of(one: LiveStatement) -> str:
    return "note" if one.source.kind == "memory" else "policy"


def _add_records(query: RecallQuery, memory: Memory, table: Table, scored: Scored, found: _Found) -> None:
    most = max(_FEWEST, min(_MOST, 3 * query.limit))
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
        _rank(found, Ranked(record.ref, group, how, record.created_at), assessed.status, codes)


def _duplicates(assessed: Sequence[Assessment]) -> Mapping[str, Record]:
    if len(assessed) < 2:
        return {}
    from aicx.memory.lint import duplicates  # imported here: most questions find one record or none

    return duplicates(assessed)


def _entry(assessed: Assessment, how: Match) -> MemoryEntry:
    entry = entry_of(assessed, _shown(how))
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


def _rank(found: _Found, ranked: Ranked, status: str, codes: Sequence[str]) -> None:
    found.ranked.append(ranked)
    found.reasons[ranked.ref] = status, list(codes)


def _shown(how: Match) -> MemoryScore:
    def digits(value: float) -> float:
        return round(value, _DIGITS)

    return MemoryScore(
        None if how.lexical is None else digits(how.lexical),
        None if how.dense is None else digits(how.dense),
        digits(how.fused),
        digits(how.decay),
        digits(how.final),
    )


def _leave_out_sources(live: LiveTable, found: _Found) -> None:
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


def _answer(query: RecallQuery, found: _Found, missing: Sequence[str]) -> RecallAnswer:
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
