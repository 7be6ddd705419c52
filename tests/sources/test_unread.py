"""Sessions of agents that aicx has no source for are counted, each once, and their files left alone."""

from __future__ import annotations

from pathlib import Path

from aicx.sources.unread import count_unread


def test_sessions_are_counted_each_once(tmp_path: Path) -> None:
    for name in ("sessions/a/1.jsonl", "sessions/b/1.jsonl", "sessions/b/2.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert count_unread({"pi": tmp_path}) == {"pi": 2}


def test_an_agent_without_sessions_is_not_named(tmp_path: Path) -> None:
    assert count_unread({"pi": tmp_path / "none"}) == {}
