"""Sessions of agents that aicx has no source for are counted, each once, and their files left alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from aicx.sources.unread import count_unread


@pytest.fixture
def opencode(tmp_path: Path) -> Path:
    folder = tmp_path / "opencode"
    for name in ("storage/session/p1/ses_1.json", "storage/session/p2/ses_2.json", "export/ses_2.json"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


def database(path: Path, table: str, *sessions: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table} (id TEXT PRIMARY KEY, title TEXT)")
        connection.executemany(f"INSERT INTO {table} VALUES (?, '')", [(session,) for session in sessions])
        connection.commit()


def test_a_session_that_is_kept_twice_counts_once(opencode: Path) -> None:
    assert count_unread({"opencode": opencode}) == {"opencode": 2}


@pytest.mark.parametrize("table", ["session", "session_v2"])
def test_sessions_in_a_database_count_beside_those_in_files(opencode: Path, table: str) -> None:
    database(opencode / "opencode.db", table, "ses_2", "ses_3", "ses_4")
    assert count_unread({"opencode": opencode}) == {"opencode": 4}


def test_a_database_is_left_as_it_is(opencode: Path) -> None:
    database(opencode / "opencode.db", "session", "ses_3")
    before = {path: path.stat().st_mtime_ns for path in opencode.rglob("*")}
    count_unread({"opencode": opencode})
    assert {path: path.stat().st_mtime_ns for path in opencode.rglob("*")} == before


def test_a_database_that_cannot_be_understood_counts_as_one(opencode: Path) -> None:
    (opencode / "opencode.db").write_bytes(b"not a database")
    assert count_unread({"opencode": opencode}) == {"opencode": 3}


def test_an_agent_without_sessions_is_not_named(tmp_path: Path) -> None:
    (tmp_path / "copilot/logs").mkdir(parents=True)
    assert count_unread({"copilot": tmp_path / "copilot", "pi": tmp_path / "none"}) == {}


def test_sessions_of_copilot_count_in_every_layout_it_had(tmp_path: Path) -> None:
    for name in ("session-state/a/events.jsonl", "session-state/a.jsonl", "session-state/b.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "history-session-state").mkdir()
    (tmp_path / "history-session-state/c.json").touch()
    assert count_unread({"copilot": tmp_path}) == {"copilot": 3}
