"""Readings of stored sessions, kept in one SQLite file below ``index/``, so that each is read once.

A session is read again when `part_stamps` says that it is another. Derived: the file may be deleted at any time, and
where it is damaged or cannot be written, sessions are read again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import orjson

from aicx.corpus.catalog import Catalog
from aicx.corpus.files.read import sidecar_path
from aicx.evidence.patterns import reading_version
from aicx.paths import NON_REPOSITORY, Layout
from aicx.storage.derived import forgiving, open_derived

Key = tuple[str, str, str]  # agent, session, repository
# What sessions did, what they propose to remember, and what was read of them for briefs.
Table = Literal["facts", "proposals", "briefs"]
_COLUMNS = (
    "agent TEXT, session_id TEXT, project TEXT, stamp TEXT, check_sum INTEGER, body BLOB,"
    " PRIMARY KEY (agent, session_id, project)"
)
_SCHEMA = f"""
CREATE TABLE meta(version TEXT, state TEXT) STRICT;
CREATE TABLE facts({_COLUMNS}) STRICT, WITHOUT ROWID;
CREATE TABLE proposals({_COLUMNS}) STRICT, WITHOUT ROWID;
CREATE TABLE briefs({_COLUMNS}) STRICT, WITHOUT ROWID;
"""
_FORMER = "memory-candidates.json"  # where the release before kept what sessions propose
_MAX_NAMED = 300  # sessions or places in one query


def part_stamps(catalog: Catalog, where: str = "1", values: Sequence[str] = ()) -> dict[Key, str]:
    """Each session's part in each repository, with what is another whenever one of its chunks is."""
    rows = catalog.rows(
        f"SELECT agent, session_id, CASE WHEN project='{NON_REPOSITORY}' THEN coalesce(cwd, project) ELSE project END"
        " AS place, count(*) AS chunks, max(sequence) AS last, min(sequence) AS first FROM chunks"
        f" WHERE ignored=0 AND stream='' AND ({where}) GROUP BY agent, session_id, place",
        list(values),
    )
    identity = catalog.identity
    return {
        (row["agent"], row["session_id"], row["place"]): f"{identity} {row['chunks']} {row['first']} {row['last']}"
        for row in rows
    }


class KeptParts:
    """A table of the file: what one reader found in each session's part in a repository.

    Without ``create`` nothing is written. The file's ``state`` is that of a corpus of which all facts are kept.
    """

    def __init__(self, layout: Layout, table: Table, *, create: bool = True) -> None:
        self.path, self._table, self._writes = layout.work_facts, table, create
        if create:
            with suppress(OSError):
                self.path.with_name(_FORMER).unlink(missing_ok=True)
        self.file = open_derived(self.path, reading_version(21), _SCHEMA, create=create)

    def close(self) -> None:
        self.file.close()

    def stamps(self) -> dict[Key, str]:
        """The stamp of every part that is kept. Raises sqlite3.Error."""
        rows = self.file.execute(f"SELECT agent, session_id, project, stamp FROM {self._table}")
        return {(row[0], row[1], row[2]): row[3] for row in rows}

    def known(self, stamps: Mapping[Key, str], *, former: bool = False) -> dict[Key, bytes]:
        """Returns what is kept of sessions that are as they were, or ``former`` ones. A damaged row is missing."""
        found: dict[Key, bytes] = {}
        with forgiving(self.path):
            for agent, session_id, place, stamp, check, body in self._rows_of(stamps):
                key = (agent, session_id, place)
                with suppress(TypeError):
                    if (stamps.get(key) == stamp or (former and key in stamps)) and crc32(body) == check:
                        found[key] = body
        return found

    def _rows_of(self, keys: Collection[Key]) -> sqlite3.Cursor:
        """The rows of sessions, and maybe of others where they are many."""
        places, kept = list({place for _, _, place in keys}), self._table
        if 0 < len(keys) <= _MAX_NAMED:
            asked = f"WITH asked(agent, session_id, project) AS (VALUES {','.join(['(?,?,?)'] * len(keys))})"
            among = f"SELECT {kept}.* FROM asked JOIN {kept} USING (agent, session_id, project)"
            return self.file.execute(f"{asked} {among}", [name for key in keys for name in key])
        if len(places) <= _MAX_NAMED:
            marks = ",".join("?" * len(places))
            return self.file.execute(f"SELECT * FROM {kept} WHERE project IN ({marks})", places)
        return self.file.execute(f"SELECT * FROM {kept}")

    def put(self, found: Iterable[tuple[Key, str, bytes]], without: Iterable[Key] = ()) -> None:
        """Keeps what was read, and drops ``without``. Where nothing can be written, it is read again next time."""
        rows = [(*key, stamp, crc32(body), body) for key, stamp, body in found]
        without = list(without)
        if not self._writes or not (rows or without):
            return
        with suppress(sqlite3.DatabaseError), self.file:
            self.file.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES(?,?,?,?,?,?)", rows)
            self.drop(without)
            if self._table != "briefs":  # which are stamped by themselves
                self.file.execute("UPDATE meta SET state=NULL")  # these may be older than what another process wrote

    def drop(self, keys: Iterable[Key]) -> None:
        """Forgets sessions, in the transaction of whoever asks. Raises sqlite3.Error."""
        self.file.executemany(f"DELETE FROM {self._table} WHERE agent=? AND session_id=? AND project=?", keys)


class KeptReadings:
    """What was read of sessions for briefs, as JSON: each as the files of its chunks were then.

    ``about`` tells what it was read with, besides the chunks; where that is another, it is read again.
    """

    def __init__(self, layout: Layout, project: str, about: str) -> None:
        self._layout, self._project = layout, project
        # In a checkout the rules of reading change without a release.
        self._about = f"{about} {max(file.stat().st_mtime_ns for file in Path(__file__).parent.glob('*.py'))}"
        self._known: dict[Key, tuple[str, bytes, dict[str, Any]]] = {}
        self._spoilt: set[Key] = set()

    @cached_property
    def _parts(self) -> KeptParts:
        return KeptParts(self._layout, "briefs", create=self._layout.work_facts.exists())

    def of(self, agent: str, session_id: str, paths: Callable[[], Iterable[str]]) -> dict[str, Any]:
        """What is kept of a session with chunks at ``paths``, to be added to; empty where it is another by now."""
        key = (agent, session_id, self._project)
        if key not in self._known:
            stamp = self._stamp(paths())
            body = self._parts.known({key: stamp}).get(key, b"{}")
            self._known[key] = stamp, body, orjson.loads(body)
        return self._known[key][2]

    def spoil(self, agent: str, session_id: str) -> None:
        """Keeps nothing of a session that could not be read as it is."""
        self._spoilt.add((agent, session_id, self._project))

    def close(self, *, keep: bool) -> None:
        """Writes what is new if it is to ``keep`` it. Where nothing can be written, it is read again next time."""
        new = [(key, stamp, orjson.dumps(found)) for key, (stamp, _, found) in self._known.items() if keep]
        if self._known:
            self._parts.put(one for one in new if one[0] not in self._spoilt and one[2] != self._known[one[0]][1])
            self._parts.close()

    def _stamp(self, paths: Iterable[str]) -> str:
        found = sha256(self._about.encode())
        for path in paths:
            for name in (path, sidecar_path(path)):
                with suppress(OSError):
                    at = (self._layout.home / name).stat()
                    found.update(f"{name} {at.st_size} {at.st_mtime_ns} {at.st_ctime_ns}\n".encode())
        return found.hexdigest()
