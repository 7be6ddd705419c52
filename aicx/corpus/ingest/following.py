"""Reads one log so that it can be read on when it grows: from a place where its open chunk can be made again."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from aicx.corpus.ingest import growth
from aicx.corpus.ingest.drafts import MAX_TOKENS, Drafted, MessageDraft, identity_number
from aicx.corpus.ingest.growth import PlaceRead, sums_of
from aicx.sources.door import CleanSource
from aicx.sources.items import LogFile, ReadPoint, RecordsEnd, SourceItem, TimelineEntry
from aicx.sources.naming import Redact
from aicx.values import dataclass

# What lies between the place and the end, at least: the open chunk and what it repeats, with messages that are copies.
_BEHIND = 3 * MAX_TOKENS


@dataclass(frozen=True, slots=True)
class _Met:
    """A point with what had been read by then."""

    point: ReadPoint
    entries: int
    identities: int
    problems: int
    unanswered: frozenset[str]


class Following:
    """The reading of one log from its beginning, or from where it stopped."""

    def __init__(self, log: LogFile, since: PlaceRead | None, clean: Redact, made: str) -> None:
        self._log, self.since, self._clean, self._made = log, since, clean, made
        self._sums = self._sums_now()
        self._met: list[_Met] = []
        self._unanswered = frozenset(since.unanswered if since else ())
        self.entries = since.entries if since else 0
        self.cwd = since.cwd if since else None
        self.drafted = Drafted(since.entries, {}, set(since.own_calls), since.numbers) if since else Drafted()

    @classmethod
    def of(
        cls, source: CleanSource, logs: Sequence[LogFile], since: PlaceRead | None, clean: Redact, made: str
    ) -> Following | None:
        """None where a log changes its form as it grows, is read whole as quickly, or cannot be read."""
        if len(logs) != 1 or logs[0].size < growth.WORTH_KEEPING or not source.can_read_on(logs[0]):
            return None
        with suppress(OSError):
            return cls(logs[0], since, clean, made)
        return None

    def items(self, source: CleanSource) -> Iterator[SourceItem | ReadPoint | RecordsEnd]:
        since = self.since
        start, line, state = (since.start, since.line, since.state) if since else (0, 0, {})
        for item in source.read_on(self._log, start, line, state):
            if isinstance(item, TimelineEntry) and item.tool and item.tool.call_id in self._unanswered:
                self.drafted.repeats = True  # what the call before the place was is not known
            yield item

    def meet(self, point: ReadPoint, entries: int, problems: int, unanswered: Iterable[str]) -> None:
        """Takes a point at which so much had been read."""
        self._met.append(_Met(point, entries, len(self.drafted.texts), problems, frozenset(unanswered)))

    def place(self, drafts: Sequence[MessageDraft], settled: int, unanswered: Iterable[str]) -> PlaceRead | None:
        """The last place from which what is open can be made again; None where there is none, or no better one."""
        never = frozenset(unanswered)
        limit = _index_of(drafts, settled)
        met = next((one for one in reversed(self._met) if one.entries <= limit and one.unanswered <= never), None)
        since = self.since
        if met is None or (since and met.point.start < since.start + growth.WORTH_MOVING) or not self._is_as_read():
            return None
        state = met.point.state()
        named = (self.cwd, *_strings(state), *self.drafted.own_calls, *met.unanswered)
        said = "\n".join(one for one in named if one)
        if self._clean(said).text != said:  # nothing is kept that would have to be redacted
            return None
        fresh = map(identity_number, islice(self.drafted.texts, met.identities))
        return PlaceRead(
            met.point.start,
            met.point.line,
            met.entries,
            state,
            self.cwd,
            sorted(met.unanswered | self._unanswered),
            sorted(self.drafted.own_calls),
            met.problems + (since.problems if since else 0),
            met.point.marks + (since.marks if since else 0),
            sums_of(self._log.path, met.point.start, self._sums, self._log.size),
            self._made,
            array("q", sorted(chain(self.drafted.before, fresh))),
        )

    def _sums_now(self) -> list[str]:
        since = self.since
        return sums_of(self._log.path, self._log.size, since.sums if since else (), since.start if since else 0)

    def _is_as_read(self) -> bool:
        """Whether the log ends with a line, and was not changed while it was read."""
        try:
            with self._log.path.open("rb") as stream:
                stream.seek(self._log.size - 1)
                ended = stream.read(1) == b"\n"
            return ended and self._sums_now() == self._sums
        except OSError:
            return False


def _index_of(drafts: Sequence[MessageDraft], settled: int) -> int:
    """The index of the draft from which on enough is settled; -1 where there is not enough."""
    tokens = 0
    for draft in reversed(drafts):
        tokens += draft.tokens if draft.index < settled else 0
        if tokens >= _BEHIND:
            return draft.index
    return -1


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *_strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
