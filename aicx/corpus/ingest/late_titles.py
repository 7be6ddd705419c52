"""Titles that a log gives to a conversation other than its own: they are set once every log has been read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aicx.corpus.catalog.chunks import stored_chunks
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.ingest.leaf_titles import LeafTitles
from aicx.corpus.ingest.plan import SessionLogs
from aicx.corpus.ingest.publishing import Publisher
from aicx.corpus.ingest.reading import LogReading
from aicx.sources.items import LogFile, LogIdentity, SessionEvent
from aicx.sources.naming import Redact, clean_id
from aicx.titles import shorten_title


class LateTitles:
    """The titles of one run. ``logs`` hold some: they count as read once these are set, so a killed run reads again."""

    def __init__(self, catalog: Catalog, publisher: Publisher, redact: Redact) -> None:
        self._catalog, self._publisher, self._redact = catalog, publisher, redact
        self._of_leaves = LeafTitles(catalog, self._as_title)
        self._of_sessions: list[tuple[str, SessionEvent]] = []
        self.logs: list[tuple[Sequence[tuple[LogFile, LogIdentity]], LogReading]] = []

    def add(self, agent: str, facts: Iterable[SessionEvent]) -> None:
        """Takes the titles of a log that holds no session of its own."""
        self._of_sessions += [(agent, fact) for fact in facts if fact.title]

    def take(self, session: SessionLogs, reading: LogReading) -> bool:
        """Whether the session's logs hold titles of conversations; one that is its own counts from here on."""
        for record_id, title, path in reading.leaf_titles:
            self._of_leaves.add(session.agent, record_id, title, clean_id(path, self._redact))
        if reading.records:
            own = self._of_leaves.place(session.agent, session.session_id, reading.records)
            if own:
                self._catalog.put_late_title(session.agent, session.session_id, own)
        return bool(reading.leaf_titles)

    def set(self) -> None:
        """Gives each title to its session's last chunk."""
        found = [(agent, fact.session_id, fact.title) for agent, fact in self._of_sessions if fact.title]
        late = [(agent, session_id, self._as_title(title)) for agent, session_id, title in found]
        for agent, session_id, title in (*late, *(self._of_leaves.all() if self.logs else ())):
            if self._catalog.put_late_title(agent, session_id, title):
                last = stored_chunks(self._catalog, agent, session_id, "")[-1:]
                self._publisher.touched.update(chunk.id for chunk in last)

    def _as_title(self, text: str) -> str:
        return shorten_title(self._redact(text).text)
