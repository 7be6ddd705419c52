"""What earlier sessions asked, decided and mended, as hooks look it up: one SQLite file below ``index/``.

Derived: it may be deleted at any time, and the next `aicx store` makes it again. This module only reads, and imports
little, since it is read at every prompt.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from aicx.reminders.words import path_word

VERSION = 3
NAME = "reminders.sqlite"
# That another process writes at this moment is no reason to keep a session waiting.
_BUSY_SECONDS = 0.15
_MAX_FIXES = 400
SCHEMA = """
CREATE TABLE meta(version TEXT, state TEXT) STRICT;
CREATE TABLE places(folder TEXT PRIMARY KEY, project TEXT) STRICT, WITHOUT ROWID;
CREATE TABLE parts(agent TEXT, session TEXT, project TEXT, stamp TEXT, PRIMARY KEY (agent, session, project))
    STRICT, WITHOUT ROWID;
CREATE TABLE turns(id INTEGER PRIMARY KEY, project TEXT, agent TEXT, session TEXT, kind TEXT, at TEXT, chunk TEXT,
    asked TEXT, came TEXT, own TEXT, more TEXT) STRICT;
CREATE INDEX turns_by_part ON turns(project, agent, session);
CREATE TABLE finds(project TEXT, word TEXT, turn INTEGER, PRIMARY KEY (project, word, turn)) STRICT, WITHOUT ROWID;
CREATE INDEX finds_by_turn ON finds(turn);
CREATE TABLE spread(project TEXT, word TEXT, sessions INTEGER, PRIMARY KEY (project, word)) STRICT, WITHOUT ROWID;
CREATE TABLE fixes(project TEXT, id TEXT, agent TEXT, session TEXT, chunk TEXT, at TEXT, message TEXT, needle TEXT,
    must TEXT, command TEXT, files TEXT, ran TEXT, PRIMARY KEY (project, id)) STRICT, WITHOUT ROWID;
"""


class Turn(NamedTuple):
    """Something that an earlier session asked or decided. ``own`` are its words, ``more`` those of what came.

    ``came`` is what was reported, a sentence a line, and ``more`` has the names of what was changed meanwhile too.
    """

    id: int
    agent: str
    session: str
    kind: str
    at: str
    chunk: str
    asked: str
    came: str
    own: frozenset[str]
    more: frozenset[str]


class Fix(NamedTuple):
    """A failure that was seen to end, and the files and commands that ended it."""

    id: str
    agent: str
    session: str
    chunk: str
    at: str
    message: str
    needle: str
    must: str
    command: str
    files: str
    ran: str


class Index:
    """The file as it is, of one project. Raises sqlite3.Error for one that is busy or damaged."""

    def __init__(self, connection: sqlite3.Connection, project: str) -> None:
        self._asking = connection
        self.project = project

    @property
    def sessions(self) -> int:
        question = "SELECT count(DISTINCT agent || session) FROM turns WHERE project=?"
        found: int = self._asking.execute(question, [self.project]).fetchone()[0]
        return found

    def spread(self, words: Iterable[str]) -> dict[str, int]:
        """In how many sessions each word comes up, of those that come up at all."""
        wanted = list(words)
        rows = self._asking.execute(
            f"SELECT word, sessions FROM spread WHERE project=? AND word IN ({_marks(wanted)})", [self.project, *wanted]
        )
        return dict(rows.fetchall())

    def turns(self, words: Iterable[str], without: str) -> list[Turn]:
        """The turns in which one of these words comes up, but none of the session ``without``."""
        wanted = list(words)
        rows = self._asking.execute(
            "SELECT id, agent, session, kind, at, chunk, asked, came, own, more FROM turns WHERE id IN"
            f" (SELECT turn FROM finds WHERE project=? AND word IN ({_marks(wanted)})) AND session!=?",
            [self.project, *wanted, without],
        )
        return [_turn(*row) for row in rows]

    def fixes(self, without: str) -> list[Fix]:
        """The failures that something ended, the last first, but none that only this session saw."""
        rows = self._asking.execute(
            "SELECT id, agent, session, chunk, at, message, needle, must, command, files, ran FROM fixes"
            " WHERE project=? AND session!=? ORDER BY at DESC LIMIT ?",
            [self.project, without, _MAX_FIXES],
        )
        return [Fix(*row) for row in rows]

    def decided(self, path: str, without: str) -> list[Turn]:
        """The decisions that name a file, by its path or the end of it, the last first."""
        parts = path.split("/")
        ends = ["/".join(parts[at:]) for at in range(max(1, len(parts) - 1))]
        found = self.turns(map(path_word, ends), without)
        return sorted((turn for turn in found if turn.kind == "decided"), key=lambda turn: turn.at, reverse=True)

    def close(self) -> None:
        self._asking.close()


def open_index(home: str, folder: str, remote: Callable[[], str]) -> Index | None:
    """What is known of the repository at ``folder``; None where there is nothing. Raises sqlite3.Error.

    It is known by a folder that sessions worked in, or else as ``remote`` says.
    """
    path = os.path.join(home, "index", NAME)  # noqa: PTH118 - pathlib takes a fifth of what a silent hook costs
    if not os.path.exists(path):  # noqa: PTH110
        return None
    found = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
    version = found.execute("SELECT version FROM meta").fetchone()
    if version is None or version[0].partition(" ")[0] != str(VERSION):
        found.close()
        return None
    row = found.execute("SELECT project FROM places WHERE folder=?", [folder]).fetchone()
    return Index(found, row[0] if row else remote())


def _turn(
    id_: int, agent: str, session: str, kind: str, at: str, chunk: str, asked: str, came: str, own: str, more: str
) -> Turn:
    words = frozenset(own.split("\n")), frozenset(more.split("\n"))
    return Turn(id_, agent, session, kind, at, chunk, asked, came, *words)


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
