"""A SQLite file of derived data: made again where it is of another version or damaged, in memory where it cannot be."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
_BUSY_SECONDS = 2.0


def open_derived(path: Path, version: str, schema: str, *, create: bool = True) -> sqlite3.Connection:
    """The file at ``path``, whose ``schema`` has a table ``meta(version TEXT, state TEXT)`` for its first row.

    Without ``create`` nothing is made on disk. Where there is no file, or none can be written, it is one in memory.
    """
    for _ in range(2 if create or path.exists() else 0):
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = sqlite3.connect(path, timeout=_BUSY_SECONDS)
            found.execute("PRAGMA secure_delete=ON")
            if not found.execute("SELECT 1 FROM sqlite_master").fetchone():
                _fill(found, version, schema)
            if found.execute("SELECT version FROM meta").fetchone() == (version,):
                return found
            found.close()
        except (OSError, sqlite3.OperationalError):
            break  # it cannot be written here
        except DAMAGE:
            found.close()
        with suppress(OSError):
            remove_derived(path)  # of another version, or damaged
    return in_memory(version, schema)


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
