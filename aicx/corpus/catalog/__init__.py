"""The SQLite catalogue of the corpus: every field that can be filtered on, and what makes a re-run free.

All of it is derived. Chunks, messages and what was seen of folders come back from the sidecars (`rebuild`); the
watermarks of logs do not, and then the logs are simply read again and found to be stored.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from aicx.corpus.files import FORGOTTEN
from aicx.errors import CorpusDamaged, StoreUnwritable
from aicx.storage.derived import Files, find_damage, record, withdraw

SCHEMA_VERSION = 5
# The version before had all but the sightings, which the stored chunks bring back without any log.
BEFORE_SIGHTINGS = 4
LACKS_SIGHTINGS = "lacks_sightings"
# Former releases made catalogues without the column; they read and write one that has it as their own.
LACKS_TURNS = "lacks_turns"
_HAS_TURNS = "SELECT max(name='turn') FROM pragma_table_info('chunks')"  # NULL where damage took the table
_ADD_TURNS = (
    f"BEGIN; ALTER TABLE chunks ADD COLUMN turn INTEGER; INSERT INTO meta VALUES ('{LACKS_TURNS}', 'yes'); COMMIT;"
)

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE sources (
    path TEXT PRIMARY KEY, agent TEXT, format TEXT, size INTEGER, fingerprint TEXT,
    session_id TEXT, problems TEXT
) WITHOUT ROWID;
CREATE INDEX sources_by_session ON sources (agent, session_id);
CREATE TABLE chunks (
    rowid INTEGER PRIMARY KEY, id TEXT UNIQUE, agent TEXT, session_id TEXT, stream TEXT, number INTEGER,
    project TEXT, date TEXT, kind TEXT, started_at TEXT, completed_at TEXT, branch TEXT, model TEXT, lane TEXT,
    parent_session TEXT, run_id TEXT, prompt_id TEXT, cwd TEXT, title TEXT, repo_source TEXT,
    path TEXT UNIQUE, content_sha256 TEXT, sidecar_sha256 TEXT, size INTEGER, tokens INTEGER,
    messages INTEGER, redactions INTEGER, source_path TEXT, ignored INTEGER DEFAULT 0, sequence INTEGER,
    failed INTEGER, workflow_phase TEXT, mode TEXT, skill_code TEXT, token_usage INTEGER, findings_count INTEGER,
    without_tool_facts INTEGER, turn INTEGER
);
CREATE INDEX chunks_by_sequence ON chunks (sequence);
CREATE TABLE removed (id TEXT PRIMARY KEY, sequence INTEGER) WITHOUT ROWID;
CREATE INDEX chunks_by_time ON chunks (ignored, started_at, id);
CREATE INDEX chunks_by_session ON chunks (agent, session_id, stream, number);
CREATE INDEX chunks_by_project ON chunks (ignored, project, cwd);
CREATE INDEX chunks_by_session_id ON chunks (session_id);
CREATE INDEX chunks_by_parent ON chunks (parent_session) WHERE parent_session IS NOT NULL;
CREATE INDEX chunks_by_run ON chunks (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX chunks_by_prompt ON chunks (prompt_id) WHERE prompt_id IS NOT NULL;
CREATE TABLE folders (chunk INTEGER, cwd TEXT, project TEXT, repo_source TEXT);
CREATE INDEX folders_by_chunk ON folders (chunk);
CREATE TABLE files (chunk INTEGER, path TEXT);
CREATE INDEX files_by_chunk ON files (chunk);
CREATE TABLE tools (chunk INTEGER, name TEXT);
CREATE INDEX tools_by_chunk ON tools (chunk);
CREATE TABLE messages (chunk INTEGER, key INTEGER, text_key INTEGER, at INTEGER, role TEXT);
CREATE INDEX messages_by_key ON messages (key);
CREATE INDEX messages_by_text ON messages (text_key) WHERE role IN ('user', 'assistant');
CREATE INDEX messages_by_chunk ON messages (chunk);
CREATE TABLE names (chunk INTEGER PRIMARY KEY, topic TEXT, topic_from TEXT, work TEXT, work_from TEXT,
    prompt_key TEXT, prompt_size INTEGER, prompts INTEGER, typed INTEGER, automated_why TEXT);
CREATE INDEX names_behind ON names (chunk) WHERE topic_from IS NULL;
CREATE TABLE sessions (agent TEXT, session_id TEXT, title TEXT, automated_why TEXT, base TEXT, work TEXT,
    evidence TEXT, prompt_key TEXT, prompt_size INTEGER, prompts INTEGER, typed INTEGER,
    PRIMARY KEY (agent, session_id)) WITHOUT ROWID;
CREATE INDEX sessions_by_base ON sessions (base);
CREATE INDEX sessions_by_prompt ON sessions (prompt_key);
CREATE TABLE duplicates (key INTEGER, path TEXT, start INTEGER, reference TEXT, PRIMARY KEY (key, path, start))
    WITHOUT ROWID;
CREATE TABLE late_titles (agent TEXT, session_id TEXT, title TEXT, PRIMARY KEY (agent, session_id)) WITHOUT ROWID;
CREATE TABLE records (agent TEXT, session_id TEXT, marks BLOB, PRIMARY KEY (agent, session_id));
CREATE TABLE leaf_titles (agent TEXT, leaf BLOB, path TEXT, PRIMARY KEY (agent, leaf)) WITHOUT ROWID;
CREATE TABLE evidence (chunk INTEGER, folder TEXT, kind TEXT, said TEXT);
CREATE INDEX evidence_by_chunk ON evidence (chunk);
CREATE TABLE commits (chunk INTEGER, folder TEXT, mark TEXT);
CREATE INDEX commits_by_chunk ON commits (chunk);
CREATE TABLE claims (folder TEXT PRIMARY KEY, project TEXT, repo_source TEXT, reason TEXT, history INTEGER)
    WITHOUT ROWID;
CREATE TABLE renames (old TEXT PRIMARY KEY, new TEXT) WITHOUT ROWID;
"""
SIGHTINGS = """
CREATE TABLE sightings (chunk INTEGER, hash TEXT, subject TEXT, made INTEGER, at TEXT, plain TEXT);
CREATE INDEX sightings_by_chunk ON sightings (chunk);
CREATE INDEX sightings_by_hash ON sightings (hash);
CREATE INDEX sightings_by_plain ON sightings (plain);
"""
# Set by the first rebuild that ran to its end; a catalogue without it may lack chunks.
COMPLETE = "complete"
# By which rules titles were made last. The number grows with the rules: the next `store` then makes them anew.
TITLE_RULES, RULES = "title_rules", "2"
# Pages in memory, in KiB and below zero: a question looks a hundred chunks up, each in three trees.
_CACHE = "PRAGMA cache_size=-16000"
# What a damaged catalogue makes of a query; SQLite quotes the damage in its message, which need not be UTF-8.
DAMAGED = (sqlite3.DatabaseError, UnicodeDecodeError)


SCHEMA += SIGHTINGS


class Catalog:
    """A connection to the catalogue. One writer at a time (the store's lock sees to it), any number of readers."""

    def __init__(self, connection: sqlite3.Connection, written: tuple[Path, Files] | None = None) -> None:
        self.connection = connection
        self.next_sequence = 1
        self._changes = connection.total_changes
        self._begun = False
        self._unsettled: set[tuple[str, str]] = set()  # sessions whose chunks changed since the last commit
        self._written = written  # the file to record when it is closed, and what was recorded of it before

    @classmethod
    def open_for_writing(cls, path: Path) -> Self:
        """The catalogue, made when absent. Raises CorpusDamaged when it is not ours to continue; rebuild then."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if damage := find_damage(path):
                raise CorpusDamaged(f"{path} is damaged: {damage}", hint="aicx store")
            known = withdraw(path)
            unknown = not known and path.exists()
            connection = sqlite3.connect(path, isolation_level=None, timeout=30)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute(_CACHE)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0 and not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                identity = f"INSERT INTO meta VALUES ('identity', '{os.urandom(8).hex()}');"
                connection.executescript(f"BEGIN; {SCHEMA} {identity} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")
                version = SCHEMA_VERSION
            elif version == BEFORE_SIGHTINGS:
                noted = f"INSERT INTO meta VALUES ('{LACKS_SIGHTINGS}', 'yes');"
                connection.executescript(f"BEGIN; {SIGHTINGS} {noted} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")
                version = SCHEMA_VERSION
            if version == SCHEMA_VERSION and connection.execute(_HAS_TURNS).fetchone()[0] == 0:
                connection.executescript(_ADD_TURNS)
            if unknown and version and (found := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                connection.close()
                raise CorpusDamaged(f"{path} is damaged: {found}", hint="aicx store")
        except (sqlite3.OperationalError, OSError) as error:
            raise StoreUnwritable(
                f"{path} cannot be opened for writing: {error}", hint="check the disk and the folder's permissions"
            ) from error
        except DAMAGED as error:
            raise CorpusDamaged(f"{path} is not a readable catalogue: {error}", hint="aicx doctor --fix") from error
        if version != SCHEMA_VERSION:
            connection.close()
            raise CorpusDamaged(f"{path} was written by another version of aicx", hint="aicx doctor --fix")
        return cls(connection, (path, known))

    @classmethod
    def open_for_reading(cls, path: Path) -> Self | None:
        """The catalogue for reading, or None when there is none that this version can read, or it is damaged."""
        if not path.exists() or find_damage(path):
            return None
        # A home on read-only media has no place for SQLite's shared-memory file; `immutable` does without.
        for mode in ("mode=ro", "immutable=1"):
            try:
                address = f"{path.absolute().as_uri()}?{mode}"
                connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=30)
            except sqlite3.OperationalError:
                continue
            try:
                connection.execute(_CACHE)
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                complete = "SELECT 1 FROM meta WHERE name=?"
                if version == SCHEMA_VERSION and connection.execute(complete, (COMPLETE,)).fetchone():
                    return cls(connection)
                connection.close()
                return None
            except sqlite3.OperationalError:
                connection.close()
            except DAMAGED:
                connection.close()
                return None
        return None

    @classmethod
    def in_memory(cls) -> Self:
        """An empty catalogue that exists only as long as it is asked."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.executescript(SCHEMA)
        return cls(connection)

    def close(self) -> None:
        whole = not self.connection.in_transaction and not self._begun
        if self._written is not None and whole:
            # While somebody else has it open, SQLite would leave this to the next program that closes it: not to one of
            # ours, and the file would not be as it was recorded.
            with suppress(sqlite3.DatabaseError):
                self.connection.execute("PRAGMA busy_timeout=0")
                self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.connection.close()
        if self._written is not None and whole:
            record(*self._written)

    def begin(self) -> None:
        # What fails before it is committed may have met damage, and is not recorded as whole.
        self._begun = True
        self.connection.execute("BEGIN IMMEDIATE")
        self.next_sequence = self.sequence + 1

    def commit(self) -> None:
        self.settle()
        if self.connection.total_changes > self._changes:
            self.set_meta("sequence", str(self.next_sequence))
        self.connection.execute("COMMIT")
        self._changes = self.connection.total_changes
        self._begun = False

    def settle(self) -> None:
        """Makes the titles of sessions, and what tells which of them programs ran, follow the chunks."""
        from aicx.corpus.catalog.session_facts import settle  # imported here: readers need it only in an emergency

        if self._unsettled:
            settle(self.connection, self._unsettled)
            self._unsettled = set()

    @cached_property
    def has_turns(self) -> bool:
        """Whether chunks have the column, which a catalogue of a former release gets with the next `store`."""
        return bool(self.rows(_HAS_TURNS)[0][0])

    @property
    def sequence(self) -> int:
        """Grows with every committed change, so that an index knows how far behind it is."""
        return int(self.meta("sequence") or 0)

    @cached_property
    def identity(self) -> str:
        """Names this catalogue: sequence numbers of another one, rebuilt from the same corpus, mean nothing to it."""
        return self.meta("identity") or ""

    def rollback(self) -> None:
        self._unsettled = set()
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def path_of(self, chunk_id: str) -> str | None:
        row = self.connection.execute("SELECT path FROM chunks WHERE id=?", (chunk_id,)).fetchone()
        return row[0] if row else None

    def late_title(self, agent: str, session_id: str) -> str | None:
        row = self.connection.execute(
            "SELECT title FROM late_titles WHERE agent=? AND session_id=?", (agent, session_id)
        ).fetchone()
        return row[0] if row else None

    def put_late_title(self, agent: str, session_id: str, title: str) -> bool:
        """Records a title given from outside the session's log; says whether it was news."""
        if self.late_title(agent, session_id) in (title, FORGOTTEN):
            return False
        self.connection.execute("INSERT OR REPLACE INTO late_titles VALUES (?,?,?)", (agent, session_id, title))
        self._unsettled.add((agent, session_id))
        return True

    def unsettle(self, agent: str, session_id: str) -> None:
        """Has a session's title found anew with the next commit."""
        self._unsettled.add((agent, session_id))

    def session_title(self, agent: str, session_id: str) -> str | None:
        """Returns the title of a session, as every answer has it."""
        row = self.connection.execute(
            "SELECT title FROM sessions WHERE agent=? AND session_id=?", (agent, session_id)
        ).fetchone()
        return row[0] if row else None

    def changes_since(self, sequence: int) -> tuple[list[str], list[str]]:
        """Ids of the chunks that an index built at ``sequence`` has to take in, and of those it has to drop."""
        rows = self.connection.execute("SELECT id, ignored FROM chunks WHERE sequence>? ORDER BY id", (sequence,))
        changed = rows.fetchall()
        gone = self.connection.execute("SELECT id FROM removed WHERE sequence>? ORDER BY id", (sequence,)).fetchall()
        hidden = [chunk_id for chunk_id, ignored in changed if ignored]
        return [chunk_id for chunk_id, ignored in changed if not ignored], [*(row[0] for row in gone), *hidden]

    def meta(self, name: str) -> str | None:
        row = self.connection.execute("SELECT value FROM meta WHERE name=?", (name,)).fetchone()
        return row[0] if row else None

    def set_meta(self, name: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (name, value))

    def rows(self, query: str, values: Iterable[Any] = ()) -> list[sqlite3.Row]:
        with closing(self.connection.cursor()) as cursor:
            return _asked(cursor, query, values).fetchall()

    def each(self, query: str, values: Iterable[Any] = ()) -> Iterator[sqlite3.Row]:
        """The rows one by one, each found when it is asked for: where the first few may be enough."""
        with closing(self.connection.cursor()) as cursor:
            yield from _asked(cursor, query, values)


def _asked(cursor: sqlite3.Cursor, query: str, values: Iterable[Any]) -> sqlite3.Cursor:
    asked = tuple(values)
    cursor.row_factory = sqlite3.Row
    try:
        return cursor.execute(query, asked)
    except UnicodeEncodeError:
        # The name of a folder that is no UTF-8: logs, and so the catalogue, have it with signs in its place.
        return cursor.execute(query, tuple(map(_storable, asked)))


def _storable(value: Any) -> Any:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) else value
