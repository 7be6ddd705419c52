"""Agents whose logs aicx has no source for: how many sessions of each are here, so that what is missing has a name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

# What each agent is called for people, and where its sessions are below its folder: a name is a session's.
NAMES: Mapping[str, str] = {"opencode": "OpenCode", "copilot": "Copilot", "pi": "Pi"}
_SESSIONS: Mapping[str, tuple[str, ...]] = {
    "opencode": ("storage/session/*/ses_*.json", "project/*/storage/session/info/ses_*.json", "export/ses_*.json"),
    "copilot": ("session-state/*/events.jsonl", "session-state/*.jsonl", "history-session-state/*.json"),
    "pi": ("sessions/*/*.jsonl",),
}


def count_unread(folders: Mapping[str, Path]) -> dict[str, int]:
    """The sessions of each agent that has any below its folder; by listing alone, but for OpenCode's database."""
    found = {agent: len(set(_sessions(agent, folder))) for agent, folder in folders.items()}
    return {agent: count for agent, count in found.items() if count}


def _sessions(agent: str, folder: Path) -> Iterator[str]:
    for pattern in _SESSIONS[agent]:
        for path in folder.glob(pattern):
            yield path.parent.name if path.name == "events.jsonl" else path.stem
    if agent == "opencode":
        for database in folder.glob("opencode*.db"):
            yield from _in_database(database)


def _in_database(database: Path) -> Iterator[str]:
    """The sessions in a database of OpenCode. One that cannot be understood counts as one: it was found."""
    try:
        # Without `immutable`, SQLite would write beside the file of another program.
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")]
            for table in [name for name in ("session", "session_v2") if name in tables]:
                yield from (str(row[0]) for row in connection.execute(f"SELECT id FROM {table}"))
    except sqlite3.Error:
        yield str(database)
