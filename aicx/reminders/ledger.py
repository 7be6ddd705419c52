"""The ledger of reminders: each once a session, and when. No words of any log are kept in it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

NAME = "reminders.sqlite"
# A session that waits for a lock is told nothing.
_BUSY_SECONDS = 0.15
_SCHEMA = """CREATE TABLE IF NOT EXISTS said(agent TEXT, session TEXT, key TEXT, lane TEXT, kind TEXT, at TEXT,
    ref TEXT, project TEXT, files TEXT, PRIMARY KEY (agent, session, key)) STRICT, WITHOUT ROWID"""


class Said(NamedTuple):
    """One reminder: to which session, in which lane, of what kind, and the reference and files that it named."""

    agent: str
    session: str
    key: str
    lane: str
    kind: str
    at: str
    ref: str
    project: str
    files: str


def claim(folder: str, wanted: Sequence[Said]) -> int | None:
    """Writes down the first of ``wanted`` that its session was not told yet, and returns its place; None where it was
    told all of them.

    Of hooks that run at the same time one gets it. Raises sqlite3.Error where nothing can be written: what cannot be
    written down is not said, or it would be said again at each prompt.
    """
    if not wanted:
        return None
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - pathlib takes longer to import than this to run
    path = os.path.join(folder, NAME)  # noqa: PTH118
    try:
        return _claim(path, wanted)
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        os.unlink(path)  # noqa: PTH108
        return _claim(path, wanted)


def _claim(path: str, wanted: Sequence[Said]) -> int | None:
    kept = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        # After a loss of power the last reminder may be said twice, which is cheaper than a wait at each.
        kept.execute("PRAGMA synchronous=OFF")
        kept.execute(_SCHEMA)
        for at, one in enumerate(wanted):
            if kept.execute("INSERT OR IGNORE INTO said VALUES(?,?,?,?,?,?,?,?,?)", one).rowcount == 1:
                return at
        return None
    finally:
        kept.close()


def read(folder: str) -> list[Said]:
    """Everything that was said, the last first; nothing where nothing was."""
    path = os.path.join(folder, NAME)  # noqa: PTH118
    if not os.path.exists(path):  # noqa: PTH110
        return []
    kept = sqlite3.connect(path, timeout=_BUSY_SECONDS)
    try:
        return [Said(*row) for row in kept.execute("SELECT * FROM said ORDER BY at DESC, agent, session, key")]
    finally:
        kept.close()


def drop(folder: str, unwanted: Callable[[Said], bool]) -> None:
    """Deletes the reminders that ``unwanted`` picks, so that the file has no byte of them."""
    doomed = [one[:3] for one in read(folder) if unwanted(one)]
    if not doomed:
        return
    kept = sqlite3.connect(os.path.join(folder, NAME))  # noqa: PTH118
    try:
        kept.execute("PRAGMA secure_delete=ON")
        kept.executemany("DELETE FROM said WHERE agent=? AND session=? AND key=?", doomed)
        kept.commit()
    finally:
        kept.close()
