"""The SQLite catalogue: every field that can be filtered on, and what makes a re-run free.

All of it is derived. Chunks, messages and what was seen of folders come back from the sidecars (`rebuild`); the
watermarks of logs do not, and then the logs are simply read again and found to be stored.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

import orjson

from aicx.corpus.files.sidecar import lacks_tool_facts
from aicx.errors import CorpusDamaged, StoreUnwritable
from aicx.storage.checksums import Files, find_damage, record, withdraw
from aicx.types import PROMPTS, LogFile, LogIdentity

SCHEMA_VERSION = 4
# Set by the first rebuild that ran to its end; a catalogue without it may lack chunks.
COMPLETE = "complete"
# What a damaged catalogue makes of a query; SQLite quotes the damage in its message, which need not be UTF-8.
DAMAGED = (sqlite3.DatabaseError, UnicodeDecodeError)
# What names a run and where in it one is; the first two tell whether there is any.
_RUN = ("run_id", "prompt_id", "workflow_phase", "mode", "skill_code")
# How a folder was decided, where that is evidence by itself and not drawn from any other.
_EVIDENT = {"git-remote": "git", "log-remote": "recorded"}
_FORGOTTEN = "[forgotten]"  # a title that was forgotten is not news again (drafts, which names the mark, imports us)

_SCHEMA = """
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
    without_tool_facts INTEGER
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


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """What the catalogue knows of one stored chunk of a session."""

    rowid: int
    id: str
    number: int
    path: str
    content_sha256: str
    sidecar_sha256: str
    keys: tuple[str, ...]
    text_keys: tuple[str, ...]  # of the same messages


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A stored message that a new one may be a copy of. ``at`` is Unix time in milliseconds."""

    key: str
    text_key: str
    at: int
    role: str
    agent: str
    session_id: str
    stream: str
    chunk_id: str


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
            connection.execute("PRAGMA cache_size=-16000")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0 and not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                identity = f"INSERT INTO meta VALUES ('identity', '{token_hex(8)}');"
                connection.executescript(f"BEGIN; {_SCHEMA} {identity} PRAGMA user_version={SCHEMA_VERSION}; COMMIT;")
                version = SCHEMA_VERSION
            elif unknown and (found := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
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
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                complete = "SELECT 1 FROM meta WHERE name=?"
                if version == SCHEMA_VERSION and connection.execute(complete, (COMPLETE,)).fetchone():
                    return cls(connection)
                connection.close()
                return None
            except sqlite3.OperationalError:
                continue
            except DAMAGED:
                return None
        return None

    @classmethod
    def in_memory(cls) -> Self:
        """An empty catalogue that exists only as long as it is asked."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.executescript(_SCHEMA)
        return cls(connection)

    def close(self) -> None:
        whole = not self.connection.in_transaction and not self._begun
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
            settle(self, self._unsettled)
            self._unsettled = set()

    @property
    def sequence(self) -> int:
        """Grows with every committed change, so that an index knows how far behind it is."""
        return int(self.meta("sequence") or 0)

    @property
    def identity(self) -> str:
        """Names this catalogue: sequence numbers of another one, rebuilt from the same corpus, mean nothing to it."""
        return self.meta("identity") or ""

    def rollback(self) -> None:
        self._unsettled = set()
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    # Watermarks -----------------------------------------------------------------------------------------------------

    def fingerprints(self) -> dict[str, str]:
        """Path of every log read so far -> its fingerprint then."""
        return dict(self.connection.execute("SELECT path, fingerprint FROM sources"))

    def session_paths(self, agent: str, session_id: str) -> list[str]:
        """Every log known to hold a part of this session."""
        rows = self.connection.execute("SELECT path FROM sources WHERE agent=? AND session_id=?", (agent, session_id))
        return [path for (path,) in rows]

    def record_source(self, log: LogFile, identity: LogIdentity, problems: Sequence[str], name: str = "") -> None:
        """Sets the watermark of a log: unchanged since, it need not be read again.

        ``name`` takes the place of a path that holds a secret.
        """
        if name and name != str(log.path):
            self.connection.execute("DELETE FROM sources WHERE path=?", (str(log.path),))
        self.connection.execute(
            "INSERT OR REPLACE INTO sources VALUES (?,?,?,?,?,?,?)",
            (
                name or str(log.path),
                log.agent,
                log.format,
                log.size,
                log.fingerprint,
                identity.session_id,
                orjson.dumps(list(problems)).decode() if problems else None,
            ),
        )

    # Sessions and messages ------------------------------------------------------------------------------------------

    def stored_chunks(self, agent: str, session_id: str, stream: str) -> list[StoredChunk]:
        """The chunks of a session in order, each with the keys of the messages that begin in it."""
        found = self.connection.execute(
            "SELECT rowid, id, number, path, content_sha256, sidecar_sha256 FROM chunks"
            " WHERE agent=? AND session_id=? AND stream=? ORDER BY number",
            (agent, session_id, stream),
        ).fetchall()
        chunks = []
        for rowid, chunk_id, number, path, content, sidecar in found:
            rows = self.connection.execute("SELECT key, text_key FROM messages WHERE chunk=?", (rowid,)).fetchall()
            keys, text_keys = (tuple(_hex(row[column]) for row in rows) for column in (0, 1))
            chunks.append(StoredChunk(rowid, chunk_id, number, path, content, sidecar, keys, text_keys))
        return chunks

    def messages_with_keys(self, keys: Sequence[str]) -> Iterator[KnownMessage]:
        yield from self._messages("m.key", keys, "")

    def messages_with_texts(self, text_keys: Sequence[str]) -> Iterator[KnownMessage]:
        yield from self._messages("m.text_key", text_keys, "AND m.role IN ('user', 'assistant')")

    def prompts_of(self, agent: str, session_id: str) -> list[KnownMessage]:
        """What humans typed in a session, as far as its own log said."""
        rows = self.connection.execute(
            "SELECT m.key, m.text_key, m.at, m.role, c.agent, c.session_id, c.stream, c.id"
            " FROM chunks c JOIN messages m ON m.chunk = c.rowid"
            " WHERE c.agent=? AND c.session_id=? AND c.stream='' AND m.role='user'",
            (agent, session_id),
        )
        return [KnownMessage(_hex(key), _hex(text_key), *rest) for key, text_key, *rest in rows]

    def session_of_most(self, chunk_ids: Sequence[str]) -> str | None:
        """The session that most of the named chunks belong to; the first by name where several tie."""
        counts: dict[str, int] = {}
        for chunk_id, count in Counter(chunk_ids).items():
            row = self.connection.execute("SELECT session_id FROM chunks WHERE id=?", (chunk_id,)).fetchone()
            if row:
                counts[row[0]] = counts.get(row[0], 0) + count
        return min(counts, key=lambda session: (-counts[session], session), default=None)

    def run_of(self, agent: str, session_id: str, at: str) -> dict[str, str]:
        """What the run is called that a session was in at an instant; empty where it was in none.

        Before the session's first chunk, what that one says: the clock of what it started may be behind its own.
        """
        row = self.connection.execute(
            f"SELECT {', '.join(_RUN)} FROM chunks WHERE agent=? AND session_id=? AND stream=''"
            " ORDER BY started_at<=?3 DESC, CASE WHEN started_at<=?3 THEN -number ELSE number END LIMIT 1",
            (agent, session_id, at),
        ).fetchone()
        if row is None or not (row[0] or row[1]):
            return {}
        return {name: value for name, value in zip(_RUN, row, strict=True) if value}

    def paths_without_run(self) -> list[str]:
        """Chunks, session by session in order, that name no run although they belong to one.

        An earlier chunk of their session names it, or the session that started theirs. They were stored by an earlier
        version, or before that session was.
        """
        rows = self.connection.execute(
            """WITH runs AS (
                SELECT agent, session_id, stream, min(number) AS number, min(started_at) AS started_at FROM chunks
                WHERE run_id IS NOT NULL OR prompt_id IS NOT NULL GROUP BY 1, 2, 3
            )
            SELECT c.agent, c.session_id, c.number, c.path FROM runs JOIN chunks c USING (agent, session_id, stream)
            WHERE c.number > runs.number AND c.run_id IS NULL AND c.prompt_id IS NULL
            UNION
            SELECT c.agent, c.session_id, c.number, c.path FROM runs JOIN chunks c
            ON c.agent = runs.agent AND c.parent_session = runs.session_id AND c.started_at >= runs.started_at
            WHERE runs.stream = '' AND c.lane = 'subagent' AND c.run_id IS NULL AND c.prompt_id IS NULL
            AND NOT EXISTS (SELECT 1 FROM chunks earlier WHERE earlier.agent = c.agent
                AND earlier.session_id = c.session_id AND earlier.stream = c.stream AND earlier.number < c.number)
            ORDER BY 1, 2, 3"""
        )
        return [row[3] for row in rows]

    def path_of(self, chunk_id: str) -> str | None:
        row = self.connection.execute("SELECT path FROM chunks WHERE id=?", (chunk_id,)).fetchone()
        return row[0] if row else None

    def is_last(self, chunk_id: str) -> bool:
        """Whether a chunk is the last of its session's own log."""
        row = self.connection.execute(
            "SELECT max(later.number) FROM chunks this JOIN chunks later USING (agent, session_id, stream)"
            " WHERE this.id=? AND this.stream=''",
            (chunk_id,),
        ).fetchone()
        return row[0] is not None and chunk_id.endswith(f":{row[0]:03d}")

    def late_title(self, agent: str, session_id: str) -> str | None:
        row = self.connection.execute(
            "SELECT title FROM late_titles WHERE agent=? AND session_id=?", (agent, session_id)
        ).fetchone()
        return row[0] if row else None

    def put_late_title(self, agent: str, session_id: str, title: str) -> bool:
        """Records a title given from outside the session's log; says whether it was news."""
        if self.late_title(agent, session_id) in (title, _FORGOTTEN):
            return False
        self.connection.execute("INSERT OR REPLACE INTO late_titles VALUES (?,?,?)", (agent, session_id, title))
        self._unsettled.add((agent, session_id))
        return True

    def unsettle(self, agent: str, session_id: str) -> None:
        """Has a session's title found anew with the next commit."""
        self._unsettled.add((agent, session_id))

    def session_title(self, agent: str, session_id: str) -> str | None:
        """What a session is called, in every answer."""
        row = self.connection.execute(
            "SELECT title FROM sessions WHERE agent=? AND session_id=?", (agent, session_id)
        ).fetchone()
        return row[0] if row else None

    def _messages(self, column: str, keys: Sequence[str], condition: str) -> Iterator[KnownMessage]:
        for start in range(0, len(keys), 500):
            part = [_integer(key) for key in keys[start : start + 500]]
            marks = ",".join("?" * len(part))
            rows = self.connection.execute(
                "SELECT m.key, m.text_key, m.at, m.role, c.agent, c.session_id, c.stream, c.id"
                f" FROM messages m JOIN chunks c ON c.rowid = m.chunk WHERE {column} IN ({marks}) {condition}",
                part,
            )
            for key, text_key, *rest in rows:
                yield KnownMessage(_hex(key), _hex(text_key), *rest)

    def put_chunk(self, fields: dict[str, Any], path: str, sidecar_sha256: str, size: int) -> None:
        """Records one chunk, replacing what was known under its id."""
        self._delete_rows(fields["id"])
        self.connection.execute("DELETE FROM removed WHERE id=?", (fields["id"],))
        redactions = fields.get("redactions") or {}
        source = fields.get("source") or {}
        messages = own_messages(fields)
        cursor = self.connection.execute(
            "INSERT INTO chunks (id, agent, session_id, stream, number, project, date, kind, started_at, completed_at,"
            " branch, model, lane, parent_session, run_id, prompt_id, cwd, title, repo_source, path, content_sha256,"
            " sidecar_sha256, size, tokens, messages, redactions, source_path, sequence, failed, workflow_phase, mode,"
            " skill_code, token_usage, findings_count, without_tool_facts)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                fields["id"],
                fields["agent"],
                fields["session_id"],
                fields.get("stream") or "",
                int(str(fields["id"]).rpartition(":")[2]),
                fields["project"],
                fields["date"],
                fields["kind"],
                fields["started_at"],
                fields["completed_at"],
                *(fields.get(name) for name in ("branch", "model", "lane", "parent_session", "run_id", "prompt_id")),
                *(fields.get(name) for name in ("cwd", "title", "repo_source")),
                path,
                fields["content_sha256"],
                sidecar_sha256,
                size,
                fields.get("tokens"),
                len(messages),
                sum(redactions.values()) if isinstance(redactions, dict) else 0,
                source.get("path") if isinstance(source, dict) else None,
                self.next_sequence,
                any_tool_failed(fields),
                *(fields.get(name) for name in ("workflow_phase", "mode", "skill_code")),
                *(fields.get(name) for name in ("token_usage", "findings_count")),
                lacks_tool_facts(fields),
            ),
        )
        rowid = cursor.lastrowid
        self._unsettled.add((fields["agent"], fields["session_id"]))
        self._put_names(rowid, fields, messages)
        folders = fields.get("folders")
        decided = folders.items() if isinstance(folders, dict) else ()
        self._insert(
            "INSERT INTO folders VALUES (?,?,?,?)",
            [(rowid, cwd, (found or {}).get("project"), (found or {}).get("repo_source")) for cwd, found in decided],
        )
        self._insert("INSERT INTO evidence VALUES (?,?,?,?)", [(rowid, *one) for one in evidence_of(fields)])
        self._insert(
            "INSERT INTO commits VALUES (?,?,?)",
            [(rowid, folder, mark) for folder, marks in (fields.get("commits") or {}).items() for mark in marks],
        )
        self._insert("INSERT INTO files VALUES (?,?)", [(rowid, file) for file in fields.get("files") or ()])
        self._insert("INSERT INTO tools VALUES (?,?)", [(rowid, name) for name in tools_of(fields)])
        self._insert(
            "INSERT INTO messages VALUES (?,?,?,?,?)",
            [
                (rowid, _integer(item["key"]), _integer(item["text_key"]), milliseconds(item["at"]), item["role"])
                for item in messages
            ],
        )
        self._insert(
            "INSERT OR REPLACE INTO duplicates VALUES (?,?,?,?)",
            [
                (_integer(item["key"]), item["path"], item["span"][0], orjson.dumps(item).decode())
                for item in fields.get("duplicates") or ()
            ],
        )
        if fields.get("session_title"):
            self.put_late_title(fields["agent"], fields["session_id"], fields["session_title"])
        if fields.get("forgotten"):
            # A key that no log has: what was forgotten from a chunk would come back if a log could decide over it.
            key = _integer(message_key(fields["agent"], f"forgotten\0{fields['id']}"))
            self.connection.execute("INSERT INTO messages VALUES (?,?,?,?,?)", (rowid, key, key, 0, "system"))

    def _insert(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:  # a statement without rows costs as much as one with a row, and most chunks lack most of these
            self.connection.executemany(statement, rows)

    def _put_names(self, rowid: int | None, fields: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> None:
        """What a chunk contributes to the title of its session, and to telling whether a program ran it."""
        prompts = [item for item in messages if item.get("origin") in PROMPTS]
        low, high = prompts[0]["span"] if prompts else (0, 0)
        columns = ("topic", "topic_from", "work", "work_from", "prompt_key")
        typed = sum(item["origin"] == "typed" for item in prompts)
        self.connection.execute(
            "INSERT INTO names VALUES (?,?,?,?,?,?,?,?,?,?)",
            (rowid, *map(fields.get, columns), high - low, len(prompts), typed, fields.get("automated_why")),
        )

    def remove_chunk(self, chunk_id: str) -> None:
        """Forgets a chunk, and notes for every index that it is gone."""
        self._delete_rows(chunk_id)
        self.connection.execute("INSERT OR REPLACE INTO removed VALUES (?,?)", (chunk_id, self.next_sequence))

    def erase_chunk(self, chunk_id: str) -> None:
        """Forgets a chunk, and that there was one: the caller sees to every index."""
        self._delete_rows(chunk_id)
        self.connection.execute("DELETE FROM removed WHERE id=?", (chunk_id,))

    def _delete_rows(self, chunk_id: str) -> None:
        row = self.connection.execute("SELECT rowid, agent, session_id FROM chunks WHERE id=?", (chunk_id,)).fetchone()
        if row is None:
            return
        self._unsettled.add(row[1:])
        for table in ("files", "tools", "messages", "names", "folders", "evidence", "commits"):
            self.connection.execute(f"DELETE FROM {table} WHERE chunk=?", row[:1])
        self.connection.execute("DELETE FROM chunks WHERE rowid=?", row[:1])

    def duplicates_of(self, keys: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """Recorded copies of messages, by key, in a stable order."""
        found: dict[str, list[dict[str, Any]]] = {}
        for start in range(0, len(keys), 500):
            part = [_integer(key) for key in keys[start : start + 500]]
            marks = ",".join("?" * len(part))
            rows = self.connection.execute(
                f"SELECT key, reference FROM duplicates WHERE key IN ({marks}) ORDER BY key, path, start",
                part,
            )
            for key, reference in rows:
                found.setdefault(_hex(key), []).append(orjson.loads(reference))
        return found

    def put_duplicate(self, reference: dict[str, Any]) -> bool:
        """Records a copy; says whether it was news."""
        cursor = self.connection.execute(
            "INSERT OR IGNORE INTO duplicates VALUES (?,?,?,?)",
            (
                _integer(reference["key"]),
                reference["path"],
                reference["span"][0],
                orjson.dumps(reference).decode(),
            ),
        )
        return cursor.rowcount > 0

    def changes_since(self, sequence: int) -> tuple[list[str], list[str]]:
        """Ids of the chunks that an index built at ``sequence`` has to take in, and of those it has to drop."""
        rows = self.connection.execute("SELECT id, ignored FROM chunks WHERE sequence>? ORDER BY id", (sequence,))
        changed = rows.fetchall()
        gone = self.connection.execute("SELECT id FROM removed WHERE sequence>? ORDER BY id", (sequence,)).fetchall()
        hidden = [chunk_id for chunk_id, ignored in changed if ignored]
        return [chunk_id for chunk_id, ignored in changed if not ignored], [*(row[0] for row in gone), *hidden]

    # Everything else ------------------------------------------------------------------------------------------------

    def meta(self, name: str) -> str | None:
        row = self.connection.execute("SELECT value FROM meta WHERE name=?", (name,)).fetchone()
        return row[0] if row else None

    def set_meta(self, name: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?,?)", (name, value))

    def rows(self, query: str, values: Iterable[Any] = ()) -> list[sqlite3.Row]:
        asked = tuple(values)
        with closing(self.connection.cursor()) as cursor:
            cursor.row_factory = sqlite3.Row
            try:
                return cursor.execute(query, asked).fetchall()
            except UnicodeEncodeError:
                # The name of a folder that is no UTF-8: logs, and so the catalogue, have it with signs in its place.
                return cursor.execute(query, tuple(map(_storable, asked))).fetchall()


def own_messages(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages that begin in a chunk: not repeated from the one before, and one cut into parts counts once."""
    messages = fields.get("messages") or ()
    return [item for item in messages if not item.get("repeated") and (item.get("part") or [1])[0] == 1]


def evidence_of(fields: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(folder, kind, what was said) for everything a chunk knows of the repositories of folders.

    What git named as the remote when the chunk was stored, and what its log had recorded, is known from ``folders``.
    """
    found = {(str(seen["folder"]), str(seen["kind"]), str(seen["said"])) for seen in fields.get("places") or ()}
    for cwd, decided in (fields.get("folders") or {}).items():
        if decided and (kind := _EVIDENT.get(decided.get("repo_source"))):
            found.add((cwd, kind, str(decided["project"])))
    return sorted(found)


def tools_of(fields: Mapping[str, Any]) -> list[str]:
    """The tools that a chunk has to do with: those called in it, and those whose results begin in it."""
    results = (tool.get("name") for item in own_messages(fields) if (tool := item.get("tool")))
    return sorted({name for name in (*(fields.get("tools") or ()), *results) if isinstance(name, str)})


def any_tool_failed(fields: Mapping[str, Any]) -> bool:
    """Whether a tool failed in a chunk; where its messages lack the facts of tools, its list of errors says so."""
    return bool(fields.get("errors")) or any((item.get("tool") or {}).get("failed") for item in own_messages(fields))


def milliseconds(instant: str) -> int:
    """Unix time in milliseconds of an instant as sidecars write it."""
    return round(datetime.fromisoformat(instant).timestamp() * 1000)


def message_key(agent: str, identity: str) -> str:
    """The key of a message: 16 hex digits from whose it is and what identifies it there."""
    return blake2b(f"{agent}\0{identity}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def _storable(value: Any) -> Any:
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) else value


def _integer(key: str) -> int:
    return int.from_bytes(bytes.fromhex(key), signed=True)


def _hex(key: int) -> str:
    return key.to_bytes(8, signed=True).hex()
