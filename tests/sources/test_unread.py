"""Sessions of agents that aicx has no source for are counted, each once, and their files left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

import pytest

from aicx.sources.unread import NAMES, count_unread
from aicx.types import AgentHomes
from tests.corpus.builders import snapshot

LOGS: Mapping[str, tuple[str, ...]] = {
    "amp": (".local/share/amp/threads/T-1.json",),
    "continue": (".continue/sessions/1b2c-3d.json",),
    "copilot": (".copilot/history-session-state/session_1.json",),
    "droid": (".factory/sessions/-srv-orbit/1.jsonl", ".factory/sessions/-srv-orbit/1.settings.json"),
    "goose": (".local/share/goose/sessions/1.jsonl",),
    "qwen": (".qwen/tmp/ab/chats/session-1.json",),
}


def homes(tmp_path: Path) -> AgentHomes:
    return AgentHomes(tmp_path, tmp_path, tmp_path, copilot=tmp_path / ".copilot", user=tmp_path)


@pytest.mark.parametrize("agent", NAMES)
def test_each_agents_sessions_are_counted(agent: str, tmp_path: Path) -> None:
    for name in LOGS[agent]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert count_unread(homes(tmp_path)) == {agent: 1}


def test_an_agent_without_sessions_is_not_named(tmp_path: Path) -> None:
    assert count_unread(homes(tmp_path)) == {}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / ".local/share/goose/sessions/sessions.db"
    path.parent.mkdir(parents=True)
    return path


def test_sessions_in_a_database_are_counted_and_the_database_is_left_alone(database: Path, tmp_path: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE sessions (id TEXT)")
        connection.executemany("INSERT INTO sessions VALUES (?)", [("a",), ("b",)])
    connection.close()
    before = snapshot(tmp_path)
    assert count_unread(homes(tmp_path)) == {"goose": 2}
    assert snapshot(tmp_path) == before


def test_a_database_that_cannot_be_understood_counts_as_one(database: Path, tmp_path: Path) -> None:
    database.write_bytes(b"no database at all")
    assert count_unread(homes(tmp_path)) == {"goose": 1}


def test_an_agent_that_another_package_reads_is_not_named(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.write_bytes(b"no database at all")
    monkeypatch.setattr("aicx.sources.unread.every_agent", lambda: ("claude", "goose"))
    assert count_unread(homes(tmp_path)) == {}
