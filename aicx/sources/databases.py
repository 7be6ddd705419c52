"""Sessions inside a SQLite database of another program: where one is, as a path, and reading it without a change.

A database holds many sessions and grows with each; so each of its sessions is a log of its own, at the database's path
with the session's id below it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from aicx.sources.items import BadRecord

# Whether a session is in a database, by the table that its program keeps sessions in.
_HAS_SESSION = {
    "session": "SELECT 1 FROM session WHERE id = ?",
    "cursorDiskKV": "SELECT 1 FROM cursorDiskKV WHERE key = 'composerData:' || ?",
}


def path_in(database: Path, session_id: str) -> Path:
    """The path by which a session of ``database`` is a log."""
    return database / quote(session_id, safe="")


def split_path(path: Path) -> tuple[Path, str]:
    """The database and the session that ``path_in`` joined."""
    return path.parent, unquote(path.name)


@contextmanager
def reading(database: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, closed at the end. Raises sqlite3.Error for what is not a database."""
    # Where no write is waiting in the log beside the database, SQLite need not lock it, nor make files beside it.
    waiting = database.with_name(f"{database.name}-wal")
    mode = "mode=ro" if waiting.is_file() and waiting.stat().st_size else "immutable=1"
    address = f"{database.absolute().as_uri()}?{mode}"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        # A text that is not UTF-8 is damage in one record, not the end of a session.
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        yield connection


def not_read(path: Path, error: sqlite3.Error | OSError) -> BadRecord:
    """The report of a database that cannot be read."""
    return BadRecord(str(path), f"cannot be read as a database: {error}")


def holds_session(path: Path) -> bool:
    """Whether ``path`` is that of a session which is still in its database."""
    database, session_id = split_path(path)
    if not database.is_file():
        return False
    try:
        with reading(database) as connection:
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            asked = (question for table, question in _HAS_SESSION.items() if table in tables)
            return any(connection.execute(question, (session_id,)).fetchone() for question in asked)
    except (sqlite3.Error, OSError):
        return False
