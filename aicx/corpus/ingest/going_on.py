"""Going on from earlier runs: the sessions that a run takes up, keeps and reports.

Those whose logs only grew go on with the chunk that was open when their reading stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from aicx.corpus.catalog import Catalog
from aicx.corpus.ingest.dedup import StoredCopy
from aicx.corpus.ingest.drafts import MessageDraft, split_draft
from aicx.corpus.ingest.filing import Move
from aicx.corpus.ingest.growth import (
    PlaceRead,
    SessionRead,
    digest_of,
    drop_place,
    keep_place,
    kept_places,
    made_by,
    open_chunk,
    place_of,
    stamp_before,
)
from aicx.corpus.ingest.reading import LogReading, SessionLogs
from aicx.corpus.ingest.report import StoreReport, StoreRequest
from aicx.corpus.ingest.session_chunks import NotAlike, OpenChunk
from aicx.corpus.places.places import Places
from aicx.paths import Layout
from aicx.sources.items import BadRecord, LogFile, Redact
from aicx.types import Lane
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class TakenUp:
    """A session as it was when its reading stopped."""

    read: SessionRead
    opened: OpenChunk

    def check(self, own: Sequence[MessageDraft], copies: Sequence[StoredCopy], shared: Sequence[StoredCopy]) -> None:
        """Raises NotAlike where what is new changes what the closed chunks say."""
        since = self.opened.restart.index
        closed = {draft.key for draft in own if draft.index < since}
        if shared or any(copy.owner is None and copy.key in closed and copy.draft.index >= since for copy in copies):
            raise NotAlike


class Growing:
    """The sessions of one run that can be taken up. None where the run is asked for something special."""

    def __init__(self, layout: Layout, catalog: Catalog, request: StoreRequest, *, redacts: bool) -> None:
        self._layout, self._catalog = layout, catalog
        self._made = made_by(redacts=redacts)
        limited = request.full_rescan or request.keep_entries or request.dry_run
        self._is_on = not (limited or request.projects or request.since)
        self._kept = kept_places(catalog)
        self._read: dict[str, SessionRead] = {}  # by log

    def place(self, session: SessionLogs) -> PlaceRead | None:
        """The place from which the one log of a session may be read on."""
        path = str(session.logs[0][0].path)
        if not self._is_on or len(session.logs) != 1 or path not in self._kept:
            return None
        if (found := place_of(self._catalog, path, self._made)) is None:
            return None
        place, self._read[path] = found
        return place

    def take_up(self, session: SessionLogs, reading: LogReading, places: Places) -> TakenUp | None:
        """The session as it was, where its log was read on. Raises NotAlike where that is not so any more."""
        if reading.since is None:
            return None
        read, whose = self._read[str(session.logs[0][0].path)], (session.agent, session.session_id)
        opened = open_chunk(self._layout, self._catalog, *whose, read, lambda cwd: places.resolve(cwd, whose))
        if opened is None:
            raise NotAlike
        return TakenUp(read, opened)

    def lineage(self, session: SessionLogs, reading: LogReading, taken_up: TakenUp | None) -> tuple[Lane, str | None]:
        """Lane and parent. Raises NotAlike where the log says now that they are others than it said before."""
        lane, parent = lineage(session, reading)
        if taken_up is None:
            return lane, parent
        read = taken_up.read
        if any(fact.lane not in (None, read.lane) for _, fact in reading.facts) or (parent and not read.parent):
            raise NotAlike
        return read.lane, read.parent

    def keep(
        self, session: SessionLogs, reading: LogReading, own: Sequence[MessageDraft], read: SessionRead | None
    ) -> None:
        """Keeps where reading stopped and what was stored by then, if the log can be read on from there."""
        if not self._is_on:
            return
        place, path, restart = reading.place, str(session.logs[0][0].path), read and read.restart
        if place and read and restart and _holds(place, own, restart.index, restart.repeatable):
            stamp = stamp_before(self._catalog, session.agent, session.session_id, restart.number)
            if stamp is not None:
                tombstones = digest_of(self._layout.tombstones)
                keep_place(self._catalog, path, place, read.stamped(stamp, tombstones))
                return
        if reading.since is None and path in self._kept:
            drop_place(self._catalog, path)


def _holds(place: PlaceRead, own: Sequence[MessageDraft], index: int, repeatable: int) -> bool:
    """Whether everything that the open chunk needs lies behind the place."""
    before = [draft for draft in own if place.entries <= draft.index < index]
    return place.entries <= index and sum(len(split_draft(draft)) for draft in before) >= repeatable


def account(report: StoreReport, reading: LogReading, logs: Sequence[LogFile]) -> None:
    """Counts what was read, and what could not be."""
    report.logs_read += len(logs)
    report.bytes_read += sum(log.size for log in logs) - (reading.since.start if reading.since else 0)
    for problems in reading.problems.values():
        report.problems += problems
    for reason, count in reading.skipped.items():
        report.skipped[reason] = report.skipped.get(reason, 0) + count
    report.notes += [f"{path} grew while it was read; the next run takes the rest" for path in reading.grown]


def silent_logs(
    session: SessionLogs, reading: LogReading, own: Sequence[MessageDraft], redact: Redact
) -> Iterator[BadRecord]:
    """The logs of a session that hold nothing, or nothing that is not stored with another session."""
    kept, told = ({draft.entry.ref.path for draft in drafts} for drafts in (own, reading.drafts))
    for log, _ in session.logs:
        path = redact(str(log.path)).text
        reason = reading.silent.get(str(log.path))
        if reason is None and not reading.unreadable(log) and not _is_in(path, kept):
            reason = "holds only copies of messages that are stored already"
            if not _is_in(path, told):
                reason = "holds no message with a text"
        if reason:
            yield BadRecord(path, reason)


def _is_in(log: str, files: Set[str]) -> bool:
    """Whether one of the files is the log, or lies in it where the log is a folder."""
    return log in files or any(file.startswith(f"{log}/") for file in files)


def lineage(session: SessionLogs, reading: LogReading) -> tuple[Lane, str | None]:
    """Lane and parent: what the log's place says, else what its records say."""
    lane: Lane = "primary"
    parent: str | None = None
    for _, identity in session.logs:
        if identity.lane == "subagent":
            lane = "subagent"
        parent = parent or identity.parent_session
    for _, fact in reading.facts:
        lane = fact.lane or lane
        parent = parent or fact.parent_session
    return lane, parent if parent != session.session_id else None


def account_moves(report: StoreReport, moves: Iterable[Move]) -> None:
    """Counts moved chunks: one that this run wrote as written where it is now, any other as moved."""
    moved = {move.before: move for move in moves}
    report.chunks_moved = len(moved.keys() - set(report.paths))
    for number, path in enumerate(report.paths):
        if (move := moved.get(path)) is None:
            continue
        report.paths[number] = move.after
        for project, change in ((move.old_project, -1), (move.new_project, 1)):
            agents = report.buckets.setdefault(project, {})
            agents[move.agent] = agents.get(move.agent, 0) + change
    left = {project: {agent: n for agent, n in agents.items() if n} for project, agents in report.buckets.items()}
    report.buckets = {project: agents for project, agents in left.items() if agents}
