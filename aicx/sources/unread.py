"""Agents whose logs aicx has no source for: how many sessions of each are here, so that what is missing has a name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from aicx.sources import every_agent
from aicx.types import AgentHomes

# What each agent is called for people, and where its sessions are below the person's home.
NAMES: Mapping[str, str] = {
    "amp": "Amp",
    "continue": "Continue",
    "copilot": "Copilot CLI in its first form",
    "droid": "Droid",
    "goose": "Goose",
    "qwen": "Qwen Code",
}
_SESSIONS: Mapping[str, tuple[str, ...]] = {
    "amp": (".local/share/amp/threads/T-*.json",),
    "continue": (".continue/sessions/*-*.json",),
    "droid": (".factory/sessions/*.jsonl", ".factory/sessions/*/*.jsonl"),
    "goose": (".local/share/goose/sessions/*.jsonl",),
    "qwen": (".qwen/projects/*/chats/*.jsonl", ".qwen/tmp/*/chats/session-*.json"),
}
_GOOSE = ".local/share/goose/sessions/sessions.db"


def count_unread(homes: AgentHomes) -> dict[str, int]:
    """The sessions that no source of ours, or of another package, reads: by listing alone, but for Goose's database."""
    found = {agent: len(set(_sessions(agent, homes))) for agent in NAMES}
    known = set(every_agent()) - {"copilot"} if any(found.values()) else set()
    return {agent: count for agent, count in found.items() if count and agent not in known}


def _sessions(agent: str, homes: AgentHomes) -> Iterator[str]:
    if agent == "copilot" and homes.copilot:
        yield from (path.stem for path in (homes.copilot / "history-session-state").glob("*.json"))
    if homes.user is None:
        return
    for pattern in _SESSIONS.get(agent, ()):
        yield from (path.stem for path in homes.user.glob(pattern))
    if agent == "goose" and (database := homes.user / _GOOSE).is_file():
        yield from _in_database(database)


def _in_database(database: Path) -> Iterator[str]:
    """The sessions in Goose's database. One that cannot be understood counts as one: it was found."""
    try:
        # Without `immutable`, SQLite would write beside the file of another program.
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?immutable=1", uri=True)) as connection:
            yield from (str(row[0]) for row in connection.execute("SELECT id FROM sessions"))
    except sqlite3.Error:
        yield str(database)
