"""Sessions of agents that aicx has no source for are counted, each once, and their files left alone."""

from __future__ import annotations

from pathlib import Path

from aicx.sources.unread import count_unread


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
