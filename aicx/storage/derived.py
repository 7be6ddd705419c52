"""A SQLite file of derived data: made again where it is of another version or damaged, in memory where it cannot be."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
_BUSY_SECONDS = 2.0
_BUSY_SECONDS_TO_LOOK = 0.3  # a session's start has less than two for everything
# That another process is writing, or the disk or its permissions say no: nothing is wrong with the database itself.
_REFUSALS = (
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM),
)


def is_refusal(error: Exception) -> bool:
    """Whether a database cannot be used here or now, rather than being damaged."""
    return isinstance(error, OSError) or getattr(error, "sqlite_errorcode", 0) & 0xFF in _REFUSALS


def open_derived(path: Path, version: str, schema: str, *, create: bool = True) -> sqlite3.Connection:
    """The file at ``path``, whose ``schema`` has a table ``meta(version TEXT, state TEXT)`` for its first row.

    Without ``create`` nothing is made on disk. Where there is no file, or none can be written, it is one in memory.
    """
    for _ in range(2 if create or path.exists() else 0):
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = sqlite3.connect(path, timeout=_BUSY_SECONDS if create else _BUSY_SECONDS_TO_LOOK)
            found.execute("PRAGMA secure_delete=ON")
            if not found.execute("SELECT 1 FROM sqlite_master").fetchone():
                _fill(found, version, schema)
            if found.execute("SELECT version FROM meta").fetchone() == (version,):
                return found
            found.close()
        except (OSError, *DAMAGE) as error:
            if is_refusal(error):
                break
            found.close()
        with suppress(OSError):
            remove_derived(path)  # of another version, or damaged
    return in_memory(version, schema)


@contextmanager
def forgiving(path: Path) -> Iterator[None]:
    """Suppresses what a database raises that is busy or damaged. A damaged one is deleted, to be made again."""
    try:
        yield
    except DAMAGE as error:
        if not is_refusal(error):
            with suppress(OSError):
                remove_derived(path)


def remove_derived(path: Path) -> None:
    """Deletes the file with what SQLite put beside it. Raises OSError for one that cannot be deleted."""
    for extra in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{extra}").unlink(missing_ok=True)


def in_memory(version: str, schema: str) -> sqlite3.Connection:
    found = sqlite3.connect(":memory:")
    _fill(found, version, schema)
    return found


def _fill(found: sqlite3.Connection, version: str, schema: str) -> None:
    found.executescript(schema)
    with found:
        found.execute("INSERT INTO meta VALUES(?, NULL)", (version,))
