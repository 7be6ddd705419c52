"""`aicx status --logs` through the real command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home


@pytest.fixture
def user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    user = Home(tmp_path).used(monkeypatch)
    user.claude(ClaudeLog(SESSION).prompt("One", 0))
    user.claude(ClaudeLog(OTHER).prompt("Two", 5))
    user.claude_history((SESSION, "One", 0))
    user.codex(CodexLog(THIRD).prompt("Three", 0))
    return user


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["list", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(listed(capsys, *arguments, "--json")[1])
    return found


def stored(capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int, int]]:
    return [(row["format"], row["logs"], row["stored"]) for row in as_json(capsys)["sources"]]


def test_the_json_has_these_fields(user, capsys):
    found = as_json(capsys)
    assert list(found) == ["schema", "sources", "problems"]
    assert found["schema"] == "aicx.list/1"
    assert list(found["sources"][0]) == ["agent", "format", "logs", "size", "stored"]


def test_logs_are_counted_by_agent_and_format(user, capsys):
    assert stored(capsys) == [("claude-history", 1, 0), ("claude-jsonl", 2, 0), ("codex-rollout", 1, 0)]


def test_sizes_are_those_on_disk(user, capsys):
    wanted = sum(path.stat().st_size for path in (user.root / ".claude/projects").rglob("*.jsonl"))
    assert next(row["size"] for row in as_json(capsys)["sources"] if row["format"] == "claude-jsonl") == wanted


def test_stored_logs_are_counted(user, capsys):
    user.store()
    assert stored(capsys) == [("claude-history", 1, 1), ("claude-jsonl", 2, 2), ("codex-rollout", 1, 1)]


def test_a_log_that_changed_is_not_stored(user, capsys):
    user.store()
    user.claude(ClaudeLog(SESSION).prompt("One", 0).answer("Yes", 1))
    assert stored(capsys)[1] == ("claude-jsonl", 2, 1)


def test_an_agent_can_be_picked(user, capsys):
    assert [row["agent"] for row in as_json(capsys, "-a", "codex")["sources"]] == ["codex"]


def test_an_unknown_agent_is_exit_two(user, capsys):
    code, _, err = listed(capsys, "-a", "clippy")
    assert code == 2
    assert "known agents: claude" in err


def test_a_folder_named_like_a_log_is_a_problem(user, capsys):
    path = user.root / ".claude/projects/-srv-ada-orbit/x.jsonl"
    path.mkdir()
    assert as_json(capsys)["problems"] == [{"path": str(path), "reason": "is a folder, not a log", "line": None}]
    assert f"warning: {path}: is a folder, not a log" in listed(capsys)[2]


def test_people_get_a_line_for_each_and_the_next_step(user, capsys):
    code, out, err = listed(capsys)
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["claude", "claude-history"],
        ["claude", "claude-jsonl"],
        ["codex", "codex-rollout"],
    ]
    assert out.count("to store") == 3
    assert err == "Next: aicx store\n"


def test_people_are_told_when_all_is_stored(user, capsys):
    user.store()
    _, out, err = listed(capsys)
    assert out.count("all stored") == 3
    assert err == ""


def test_a_home_without_logs_says_so(user, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    code, out, err = listed(capsys)
    assert (code, out) == (0, "")
    assert "No agent logs found." in err


def test_logs_are_found_where_the_environment_says(user, capsys, monkeypatch, tmp_path):
    (user.root / ".claude").rename(tmp_path / "elsewhere")
    assert [row["agent"] for row in as_json(capsys)["sources"]] == ["codex"]
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert [row["agent"] for row in as_json(capsys)["sources"]] == ["claude", "claude", "codex"]


def test_nothing_is_written(user, capsys):
    listed(capsys)
    assert not user.corpus.exists()
