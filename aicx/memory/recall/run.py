"""Recall: asks the records of a place and its instruction files, and says of each considered one what became of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from aicx.config import Settings
from aicx.errors import AicxError, UsageError
from aicx.memory.answers import MemoryEntry, MemoryScore
from aicx.memory.assess import TRACE, freshness_of
from aicx.memory.events import Event, new_id
from aicx.memory.policy import Policy, PolicyReason
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.reading import Memory, Scope, find_scope, without_collecting
from aicx.memory.recall.asking import SUFFICIENT, Ranked, RecallAnswer, RecallQuery, fused
from aicx.memory.recall.live import LiveReader, LiveTable
from aicx.memory.recall.meaning import Meaning
from aicx.memory.recall.quick import QuickIndex, folders_now, keep_look, known_look, quick_scope
from aicx.memory.recall.scored import (
    LaneScores,
    RecallState,
    add_live,
    add_records,
    answer_of,
    leave_out_sources,
    rank,
    score_words,
    shown,
    unavailable,
)
from aicx.memory.recall.table import DAMAGE, QuestionTerms, Table, asked
from aicx.memory.record import PREFIX
from aicx.refs import Ref
from aicx.text import instant, local, shorten

if TYPE_CHECKING:
    from aicx.engine.search import Hit, Searcher, SearchQuery


Result = TypeVar("Result")
# So soon after a look at every file a question that nothing answers is not worth another.
_SECONDS_TO_TRUST = 2.0
_MAX_LENGTH = 400
_BY = "aicx memory recall"


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
        return self._sound(partial(quick_scope, self._settings, folder))[0]

    def recall(self, query: RecallQuery) -> RecallAnswer:
        """Answers a question. Raises UsageError for one without words, MalformedPolicy before anything is read."""
        policy = policy_in(self._settings, query.scope)
        question = asked(query.text)
        if not question:
            raise UsageError("nothing is left to look for", hint="ask with words that are not among the most common")
        live = self._live.read(query.scope.root, policy, query.named)
        found, missing = self._ask(query, question, policy, live)
        leave_out_sources(live, found)
        if query.with_evidence:
            self._add_passages(query, policy, found)
        return answer_of(query, found, missing)

    def _ask(
        self, query: RecallQuery, question: QuestionTerms, policy: Policy, live: LiveTable
    ) -> tuple[RecallState, Sequence[str]]:
        layout = self._settings.layout
        if not layout.memory.is_dir():  # nothing was ever remembered here, and nothing is made for it
            return self._ask_records(query, question, live, None, None)
        (found, missing), damage = self._sound(partial(self._ask_table, query, question, policy, live))
        if damage is not None:
            found.degraded.append(unavailable("lexical", f"its table was damaged and made anew ({damage})"))
        return found, missing

    def _sound(self, work: Callable[[Table], Result]) -> tuple[Result, Exception | None]:
        """Does ``work`` with the table, or with a new one where it is damaged; returns the damage as well."""
        table = self._table = self._table or Table(self._settings.layout.memory_recall)
        try:
            return work(table), None
        except DAMAGE as error:
            table.start_anew()
            return work(table), error

    def _ask_table(
        self, query: RecallQuery, question: QuestionTerms, policy: Policy, live: LiveTable, table: Table
    ) -> tuple[RecallState, Sequence[str]]:
        """Asks the memory as it was last found where that will do, and after a look at every file where it will not."""
        settings = self._settings
        table.refresh()
        if look := known_look(settings.layout, table):
            if self._index is None or self._index.look != look:
                self._close_index()
                self._index = QuickIndex(settings.layout, look)
            index = self._index
            index.prepare()
            memory = Memory(settings, query.scope, query.now, of_records(policy, settings, query.scope), index)
            found, missing = self._ask_records(query, question, live, memory, table)
            is_answered = any(one.match.fused >= SUFFICIENT for one in found.ranked)
            just_looked = time.monotonic() - self._looked < _SECONDS_TO_TRUST
            if not index.behind and (is_answered or just_looked):
                return found, missing
        self._close_index()
        folders = folders_now(settings.layout)
        blocks = of_records(policy, settings, query.scope)
        with Memory.open(settings, query.now, scope=query.scope, policy=blocks) as memory:
            table.sync(memory.versions(), memory.read)
            keep_look(table, folders, memory.twice)
            self._looked = time.monotonic()
            return self._ask_records(query, question, live, memory, table)

    def _ask_records(
        self, query: RecallQuery, question: QuestionTerms, live: LiveTable, memory: Memory | None, table: Table | None
    ) -> tuple[RecallState, Sequence[str]]:
        found = RecallState()
        by_words, missing = score_words(question, table, live)
        if query.rules.words:
            found.lanes.append("lexical")
        else:
            by_words = {}
        scored = LaneScores(by_words, self._by_meaning(query, table, live, memory, found))
        add_live(query, live, scored, found)
        if memory is not None and table is not None:
            with without_collecting():
                add_records(query, memory, table, scored, found)
        return found, missing

    def _add_passages(self, query: RecallQuery, policy: Policy, found: RecallState) -> None:
        # Imported here: most questions are to the memory alone.
        from aicx.engine.search import Searcher, SearchQuery

        searcher = self._searcher or Searcher(self._settings)
        try:
            search = SearchQuery(query.text, query.now, limit=query.limit, lift_dates=False, place=query.scope.root)
            every, fallback = passages(searcher, search, policy)
            for entry, how, blocked in every:
                if blocked:
                    found.leave_out(entry.ref, "policy_blocked", [blocked])
                    found.suppressed["policy_blocked"] += 1
                else:
                    found.entries[entry.ref] = partial(replace, entry, score=shown(how))
                    rank(found, Ranked(entry.ref, "evidence", how, None), entry.status, entry.reasons[:-1])
        except AicxError as error:
            found.degraded.append(unavailable("evidence", f"{error.message}; next: {error.hint}"))
        else:
            found.lanes.append("evidence")
            if fallback:
                found.degraded.append(unavailable("evidence", fallback))
        finally:
            if self._searcher is None:
                searcher.close()

    def _by_meaning(
        self, query: RecallQuery, table: Table | None, live: LiveTable, memory: Memory | None, found: RecallState
    ) -> Mapping[int, float] | None:
        """None where that lane does not answer; a corpus without it lacks nothing."""
        if not query.rules.meaning or not self._meaning.wanted:
            return None
        try:
            near, notes = self._meaning.near(query.text, table, live, memory.read if memory else None)
        except (AicxError, ImportError) as error:
            hint = f"; next: {error.hint}" if isinstance(error, AicxError) and error.hint else ""
            found.degraded.append(unavailable("dense", f"{error}{hint}"))
            return None
        found.lanes.append("dense")
        found.degraded += [unavailable("dense", note) for note in notes]
        return near


# A passage, how well it matches, and why it may not be shown.
CorpusPassage = tuple[MemoryEntry, MemoryScore, PolicyReason | None]


def passages(searcher: Searcher, query: SearchQuery, policy: Policy) -> tuple[list[CorpusPassage], str | None]:
    """Searches the corpus for a question: the passages, and which of its retrievers did not answer.

    Raises AicxError where it cannot be searched.
    """
    report = searcher.search(query)
    return list(_allowed(report.hits, query, policy)), report.oracle_status["fallback_reason"]


def _allowed(hits: Sequence[Hit], query: SearchQuery, policy: Policy) -> Iterator[CorpusPassage]:
    for hit in hits:
        entry, match = _entry(hit, query), _match(hit)
        fields = hit.sidecar.fields
        identities = (entry.ref, f"session:{fields['agent']}:{fields['session_id']}")
        blocked = next((why for one in identities if (why := policy.of_source(one, fields["agent"]))), None)
        yield entry, match, blocked or policy.of_text(entry.statement, entry.topic, hit.said)


def _match(hit: Hit) -> MemoryScore:
    """The share of the question's words that it has, on the scale of statements."""
    share = hit.terms_found / hit.terms_asked if hit.terms_asked else 0.0
    dense = max(0.0, min(1.0, hit.votes["dense"].score)) if "dense" in hit.votes and not share else None
    base = fused(share, dense)
    return MemoryScore(share, dense, base, hit.decay_factor, base * hit.decay_factor)


def _entry(hit: Hit, query: SearchQuery) -> MemoryEntry:
    fields = hit.sidecar.fields
    at = local(fields["started_at"])
    lane = str(fields.get("lane") or "primary")
    return MemoryEntry(
        ref=str(Ref("chunk", hit.sidecar.id)),
        name=None,
        kind="chunk",
        topic=shorten(hit.title or "", 80),
        statement=shorten(" / ".join(line.text for line in hit.lines), _MAX_LENGTH),
        status="candidate",
        freshness=freshness_of(query.now - at),
        tier=TRACE,
        usage="evidence",
        baseline=False,
        reasons=["candidate_not_adopted", *(["subagent_unadopted"] if lane == "subagent" else []), "relevant_match"],
        because=[],
        superseded_by=None,
        source={
            "class": "subagent" if lane == "subagent" else "assistant",
            "at": instant(at),
            "lane": lane,
            "agent": fields["agent"],
            "session": fields["session_id"],
        },
        evidence=[str(Ref.of_session(fields["agent"], fields["session_id"]))],
        score=None,
        repository=fields["project"],
        rev=1,
        pinned=False,
        sightings=1,
    )


def record_recall(settings: Settings, answer: RecallAnswer, now: datetime, notify: Callable[[str], None]) -> Event:
    """Adds one event: the records that were shown, in their order, and a hash of the answer. No text of any of them."""
    # Imported here: most questions are not recorded.
    from hashlib import sha256

    import orjson

    from aicx.fields import to_fields
    from aicx.memory.writing import changing

    refs = tuple(one.ref.removeprefix(PREFIX) for one in answer.entries if one.ref.startswith(PREFIX))
    digest = sha256(orjson.dumps(to_fields(answer))).hexdigest()[:32]
    event = Event(new_id(), now, _BY, "manifest.recorded", refs, digest, code="recall")
    with changing(settings, now, notify) as change:
        change.note(event)
        change.publish()
    return event
