"""A stored map: one SQLite file for each working folder, below ``AICX_HOME`` and never inside the repository.

``repomap/<repository>/<folder>.v1.<moment>.sqlite``. A full build writes a new file beside and renames it; readers take
the newest. A refresh after that is one transaction in the newest file, so a kill leaves what was there before it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import time_ns
from typing import Any, Self

from aicx.git.identity import Repository
from aicx.paths import Layout
from aicx.repomap import postings
from aicx.repomap.files import Stamp
from aicx.repomap.postings import PostingTable
from aicx.repomap.symbols import SYNTAX_ERRORS, CodeSymbol, FileRecord, symbols_from
from aicx.storage import derived
from aicx.types import Unread
from aicx.values import dataclass

# Raised when the tables change; the next refresh then builds anew. Changes of what is in them are noticed without it.
MAP_VERSION = 1
DAMAGED = (sqlite3.DatabaseError, ValueError)

_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    changed INTEGER NOT NULL, digest TEXT NOT NULL, language TEXT, skipped TEXT, problem TEXT, found INTEGER NOT NULL,
    symbols INTEGER NOT NULL
);
CREATE TABLE outlines (file INTEGER PRIMARY KEY, symbols TEXT NOT NULL, targets TEXT NOT NULL, terms TEXT NOT NULL);
"""
# A question reads a few thousand pages at most; a build would otherwise write the same page again and again.
_READING_CACHE, _WRITING_CACHE = "PRAGMA cache_size=-16000", "PRAGMA cache_size=-128000"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with all that is stored of it, but its postings."""

    path: str
    language: str | None
    symbols: list[CodeSymbol]
    targets: list[str]


@dataclass(frozen=True, slots=True)
class MapLocation:
    """Where the maps of one working folder lie."""

    folder: Path
    name: str

    @classmethod
    def of(cls, layout: Layout, repository: Repository) -> Self:
        return cls(layout.repomap / repository.repo_id, repository.worktree_id)

    @property
    def lock(self) -> Path:
        return self.folder / f"{self.name}.lock"

    @property
    def part(self) -> Path:
        return self.folder / f"{self.name}.part"

    def maps(self) -> list[Path]:
        """The maps of this folder that this version can read, the newest last."""
        return sorted(self.folder.glob(f"{self.name}.v{MAP_VERSION}.*.sqlite"))

    def others(self) -> list[Path]:
        """Maps of other working folders of the same repository, the most recently written last."""
        written = {}
        for path in self.folder.glob(f"*.v{MAP_VERSION}.*.sqlite"):
            with suppress(FileNotFoundError):  # its own refresh has a newer one by now
                written[path] = path.stat().st_mtime_ns
        return sorted(written.keys() - set(self.maps()), key=written.__getitem__)

    def new(self) -> Path:
        return self.folder / f"{self.name}.v{MAP_VERSION}.{time_ns():016x}.sqlite"

    def clear_part(self) -> None:
        """Deletes an unfinished map, and what SQLite keeps beside it."""
        for ending in ("", "-wal", "-shm"):
            with suppress(OSError):  # the next refresh deletes it
                self.folder.joinpath(f"{self.part.name}{ending}").unlink()

    def clear(self, keep: Path | None) -> None:
        """Deletes what earlier refreshes left: older maps, those of other versions, and unfinished ones."""
        kept = {f"{keep.name}{ending}" for ending in ("", "-wal", "-shm", derived.SUFFIX)} if keep else set()
        for path in self.folder.glob(f"{self.name}.*"):
            if path.name not in kept and path != self.lock:
                path.unlink(missing_ok=True)


class MapStore:
    """A connection to a stored map."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._postings = PostingTable(connection)

    @classmethod
    def open_for_reading(cls, place: MapLocation) -> Self | None:
        """The newest map of a folder, or None when there is none that can be read."""
        tried: list[Path] | None = None
        while (maps := place.maps()) != tried:  # a refresh may delete one that was listed, but makes a newer one first
            for path in reversed(maps):
                if derived.find_damage(path):
                    continue
                # A home on read-only media has no place for SQLite's shared-memory file; `immutable` does without.
                for mode in ("mode=ro", "immutable=1"):
                    if store := cls._open_whole(f"{path.absolute().as_uri()}?{mode}"):
                        return store
            tried = maps
        return None

    @classmethod
    def _open_whole(cls, address: str) -> Self | None:
        connection = None
        try:
            connection = _connect(address, _READING_CACHE)
            store = cls(connection)
            if store.about("root"):
                return store
        except DAMAGED:
            pass
        if connection is not None:
            connection.close()
        return None

    @classmethod
    def open_for_writing(cls, path: Path) -> Self:
        """An existing map, to be changed in one transaction."""
        connection = _connect(f"{path.absolute().as_uri()}?mode=rw", _WRITING_CACHE)
        connection.execute("PRAGMA synchronous=NORMAL")
        return cls(connection)

    @classmethod
    def create(cls, path: Path, template: Path | None = None) -> Self:
        """A new map in a file nobody reads yet: empty, or with what another one holds."""
        path.unlink(missing_ok=True)
        connection = _connect(f"{path.absolute().as_uri()}?mode=rwc", _WRITING_CACHE)
        # Not worth a journal: a build that is interrupted is thrown away.
        connection.execute("PRAGMA journal_mode=OFF")
        connection.execute("PRAGMA synchronous=OFF")
        if template is None:
            connection.executescript(_SCHEMA + postings.SCHEMA)
        else:
            other = _connect(f"{template.absolute().as_uri()}?mode=ro", _READING_CACHE)
            try:
                other.backup(connection)
            finally:
                other.close()
        return cls(connection)

    def close(self) -> None:
        self._connection.close()

    def begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        self._postings.flush()
        self._connection.execute("COMMIT")

    def finish(self) -> None:
        """Makes a new map durable and ready for readers that come while it is changed later."""
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute("PRAGMA journal_mode=WAL")
        self.close()

    def is_whole(self) -> bool:
        """Whether its tables are there and can be read."""
        self._connection.execute("SELECT 1 FROM files, outlines, postings LIMIT 1").fetchone()
        return self.about("files_indexed") is not None

    # What is known of the map as a whole ------------------------------------------------------------------------------

    def about(self, name: str) -> Any:
        row = self._connection.execute("SELECT value FROM about WHERE name=?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def set_about(self, **values: Any) -> None:
        rows = [(name, json.dumps(value)) for name, value in values.items()]
        self._connection.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows)

    def problems(self) -> list[Unread]:
        """Files that could not be read, or not to their end, and why. Syntax errors are counted instead."""
        # The plus keeps SQLite from walking all files in the order of their paths for the few that have one.
        sql = "SELECT path, problem FROM files WHERE problem<>? ORDER BY +path"
        return [Unread(*row) for row in self._connection.execute(sql, (SYNTAX_ERRORS,))]

    def count_skipped(self) -> dict[str, int]:
        sql = "SELECT skipped, count(*) FROM files WHERE skipped NOT NULL GROUP BY skipped ORDER BY skipped"
        return dict(self._connection.execute(sql))

    def count_languages(self) -> dict[str, int]:
        sql = "SELECT language, count(*) FROM files WHERE language NOT NULL GROUP BY language ORDER BY 2 DESC, 1"
        return dict(self._connection.execute(sql))

    def totals(self) -> tuple[int, int, int]:
        """Counts the files that can be found, the symbols in them, and those of them with syntax errors."""
        sql = "SELECT total(found), total(symbols), total(problem=?) FROM files"
        files, symbols, with_syntax_errors = map(int, self._connection.execute(sql, (SYNTAX_ERRORS,)).fetchone())
        return files, symbols, with_syntax_errors

    # Files ------------------------------------------------------------------------------------------------------------

    def stamps(self) -> dict[str, Stamp]:
        """Every known file as it looked at the last refresh."""
        rows = self._connection.execute("SELECT path, size, modified, changed FROM files")
        return {row[0]: row[1:] for row in rows}

    def digest(self, path: str) -> str | None:
        """The digest of the text that is known of a file; None for a file that is not."""
        row = self._connection.execute("SELECT digest FROM files WHERE path=?", (path,)).fetchone()
        return row[0] if row else None

    def put(self, path: str, record: FileRecord) -> None:
        """Stores what is known of a file, in place of what was known before. A known file keeps its id."""
        known = self._remove(path)
        columns = (known, path, *record.stamp, record.digest, record.language, record.skipped, record.problem)
        file = self._connection.execute(
            "INSERT INTO files (id, path, size, modified, changed, digest, language, skipped, problem, found, symbols)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*columns, bool(record.terms), record.symbol_count),
        ).lastrowid
        if record.terms and file is not None:
            outline = (file, record.symbols, record.targets, record.terms)
            self._connection.execute("INSERT INTO outlines VALUES (?, ?, ?, ?)", outline)
            self._postings.add(file, record.postings)

    def touch(self, path: str, stamp: Stamp) -> None:
        """Notes that a file looks different and holds the same text."""
        sql = "UPDATE files SET size=?, modified=?, changed=? WHERE path=?"
        self._connection.execute(sql, (*stamp, path))

    def remove(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._remove(path)

    def _remove(self, path: str) -> int | None:
        """Takes a file out; returns the id it had, None when it was not there."""
        row = self._connection.execute(
            "SELECT id, terms FROM files LEFT JOIN outlines ON file=id WHERE path=?", (path,)
        ).fetchone()
        if row is None:
            return None
        file, terms = row
        if terms:
            self._postings.remove(file, terms.split("\n"))
            self._connection.execute("DELETE FROM outlines WHERE file=?", (file,))
        self._connection.execute("DELETE FROM files WHERE id=?", (file,))
        return int(file)

    # Questions --------------------------------------------------------------------------------------------------------

    def size(self) -> int:
        return int(self.about("files_indexed") or 0)

    def frequency(self, term: str) -> int:
        """How many files a term occurs in."""
        return self._postings.count(term)

    def postings(self, term: str) -> Mapping[int, int]:
        """The files a term occurs in, each with its value."""
        return self._postings.read(term)

    def files(self, ids: Sequence[int]) -> dict[int, StoredFile]:
        marks = ",".join("?" * len(ids))
        columns = "id, path, language, outlines.symbols, targets"
        sql = f"SELECT {columns} FROM files JOIN outlines ON file=id WHERE id IN ({marks})"
        return {
            file: StoredFile(path, language, symbols_from(symbols), json.loads(targets))
            for file, path, language, symbols, targets in self._connection.execute(sql, ids)
        }

    def ids(self, paths: Sequence[str]) -> dict[str, int]:
        marks = ",".join("?" * len(paths))
        return dict(self._connection.execute(f"SELECT path, id FROM files WHERE path IN ({marks})", paths))


def _connect(address: str, cache: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=30)
    connection.execute(cache)
    return connection
