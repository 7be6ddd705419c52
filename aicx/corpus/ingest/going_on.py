"""Goes on with the sessions whose logs only grew: with the chunk that was open when their reading stopped."""

from __future__ import annotations

from collections.abc import Sequence

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.ingest.accounting import lineage
from aicx.corpus.ingest.dedup import StoredCopy
from aicx.corpus.ingest.drafts import MessageDraft, split_draft
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
from aicx.corpus.ingest.plan import SessionLogs
from aicx.corpus.ingest.reading import LogReading
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.session_chunks import NotAlike, OpenChunk
from aicx.corpus.places.places import Places
from aicx.paths import Layout
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
