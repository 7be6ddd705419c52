"""Titles that a log gives to the conversation ending with a named record, wherever and whenever that one is read.

Claude Code writes such a title (``summary`` with ``leafUuid``) into any log of the project, often before or long
after the conversation itself is stored. So the catalogue keeps both sides: which log has the title of a record, and the
records of each session. What a session is called depends on these alone, and not on the order in which they became
known. The titles themselves are not kept before they are placed: what nobody could find could not be forgotten either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import stored_chunks
from aicx.corpus.ingest.publishing import Publisher
from aicx.corpus.ingest.reading import LogReading, SessionLogs
from aicx.sources import load_source
from aicx.sources.items import MARK_BYTES, LogFile, LogIdentity, Redact, SessionEvent, clean_id, record_mark
from aicx.sources.records import stat_log
from aicx.titles import shorten_title


def title_among(titles: Iterable[tuple[str, str, str]], records: bytes) -> str | None:
    """The one of some titles whose record is the last of ``records``, None where none of theirs is among them."""
    places = {records[start : start + MARK_BYTES]: start for start in range(0, len(records), MARK_BYTES)}
    found = [(places[mark], title) for leaf, title, _ in titles if (mark := record_mark(leaf)) in places]
    return max(found)[1] if found else None


class LeafTitles:
    """The records that have a title, and the sessions they lie in. ``clean`` makes a title fit to be stored."""

    def __init__(self, catalog: Catalog, clean: Callable[[str], str]) -> None:
        self._catalog = catalog
        self._clean = clean
        rows = catalog.connection.execute("SELECT agent, leaf, path FROM leaf_titles")
        self._paths: dict[tuple[str, bytes], str] = {(agent, leaf): path for agent, leaf, path in rows}
        self._titles: dict[tuple[str, bytes, str], str] = {}  # read in this run, by record and log

    def add(self, agent: str, record_id: str, title: str, path: str) -> None:
        """Takes in the title of a record. Of several logs that have one the first by path counts, of several in one
        log the greatest."""
        leaf = record_mark(record_id)
        self._titles[agent, leaf, path] = max(self._clean(title), self._titles.get((agent, leaf, path), ""))
        first = self._paths[agent, leaf] = min(path, self._paths.get((agent, leaf), path))
        self._catalog.connection.execute("INSERT OR REPLACE INTO leaf_titles VALUES (?,?,?)", (agent, leaf, first))

    def place(self, agent: str, session_id: str, records: bytes) -> str | None:
        """Keeps which records a session holds; returns the title that is known for it, None when there is none."""
        self._catalog.connection.execute("INSERT OR REPLACE INTO records VALUES (?,?,?)", (agent, session_id, records))
        return self._find(agent, records)

    def records(self, agent: str, session_id: str) -> bytes:
        """Which records a session held when it was read last."""
        found = self._catalog.rows("SELECT marks FROM records WHERE agent=? AND session_id=?", (agent, session_id))
        return found[0]["marks"] if found else b""

    def all(self) -> Iterator[tuple[str, str, str]]:
        """(agent, session, title) of every session that holds a record with a title."""
        rows = self._catalog.connection.execute("SELECT agent, session_id, marks FROM records").fetchall()
        for agent, session_id, records in rows:
            if title := self._find(agent, records):
                yield agent, session_id, title

    def _find(self, agent: str, records: bytes) -> str | None:
        """The title of the last record that has one: where a conversation went on, the newest title is about most."""
        if not self._paths:
            return None
        for start in range(len(records) - MARK_BYTES, -1, -MARK_BYTES):
            leaf = records[start : start + MARK_BYTES]
            path = self._paths.get((agent, leaf))
            if path is not None:
                # Where its log is gone, the session keeps the title it was given: an older one is not news.
                return self._title(agent, leaf, path) or None
        return None

    def _title(self, agent: str, leaf: bytes, path: str) -> str:
        """The title of a record, from its log when that was read in an earlier run; empty when it is gone."""
        if (agent, leaf, path) not in self._titles:
            self._titles[agent, leaf, path] = ""
            for record_id, title in self._read(agent, path):
                self.add(agent, record_id, title, path)
        return self._titles[agent, leaf, path]

    def _read(self, agent: str, path: str) -> list[tuple[str, str]]:
        row = self._catalog.connection.execute("SELECT format FROM sources WHERE path=?", (path,)).fetchone()
        log = stat_log(agent, row[0], Path(path)) if row else None
        if not isinstance(log, LogFile):
            return []
        facts = (item for item in load_source(agent).read(log) if isinstance(item, SessionEvent))
        return [(fact.title_of_record, fact.title) for fact in facts if fact.title_of_record and fact.title]


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
        records = reading.records
        if reading.since:
            records = self._of_leaves.records(session.agent, session.session_id)[: reading.since.marks] + records
        if records:
            own = self._of_leaves.place(session.agent, session.session_id, records)
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
