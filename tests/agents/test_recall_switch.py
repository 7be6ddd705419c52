"""`aicx init --recall`: lane by lane, off at first, in each client's own settings, and gone without a trace."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.commands.test_init import tree
from tests.corpus.builders import Home


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    found = Home(tmp_path)
    found.repository("orbit", "git@x.org:ada/orbit.git")
    found.repository("pier", "git@x.org:ada/pier.git")
    for name, value in found.environ.items():
        monkeypatch.setenv(name, value)
    return found


def init(user: Home, *words: str, repo: str = "orbit", agents: str = "claude,codex,gemini") -> int:
    return run(["init", "--repo", str(user.work / repo), "--agents", agents, "--yes", *words])


def claude(user: Home) -> dict[str, Any]:
    hooks: dict[str, Any] = json.loads((user.work / "orbit/.claude/settings.local.json").read_text())["hooks"]
    return {event: groups[0].get("matcher") for event, groups in hooks.items()}


def codex(user: Home) -> dict[str, Any]:
    hooks = tomllib.loads((user.root / ".codex/config.toml").read_text())["hooks"]
    return {event: groups[0].get("matcher") for event, groups in hooks.items()}


def test_no_hook_is_called_for_it_until_it_is_switched_on(user: Home) -> None:
    assert init(user) == 0
    assert not {"UserPromptSubmit", "PreToolUse", "PostToolUseFailure"} & set(claude(user))
    assert not {"UserPromptSubmit", "PreToolUse", "PostToolUse"} & set(codex(user))


def test_each_lane_has_its_hook_and_the_tools_it_is_about(user: Home) -> None:
    assert init(user, "--recall", "prompt,edit") == 0
    assert claude(user)["UserPromptSubmit"] is None
    assert "Write" in claude(user)["PreToolUse"]
    assert "PostToolUseFailure" not in claude(user)
    assert "apply_patch" in codex(user)["PreToolUse"]
    gemini = json.loads((user.work / "orbit/.gemini/settings.json").read_text())["hooks"]
    assert "BeforeAgent" in gemini
    assert not {"AfterTool", "BeforeTool"} & set(gemini)


def test_a_second_run_changes_nothing_and_keeps_what_was_decided(user: Home) -> None:
    init(user, "--recall", "all")
    before = tree(user.work / "orbit"), (user.root / ".codex/config.toml").read_bytes()
    assert init(user) == 0
    assert (tree(user.work / "orbit"), (user.root / ".codex/config.toml").read_bytes()) == before


def test_what_is_switched_off_is_taken_out(user: Home) -> None:
    init(user)
    before = tree(user.work / "orbit"), (user.root / ".codex/config.toml").read_bytes()
    init(user, "--recall", "all")
    assert init(user, "--recall", "none") == 0
    assert (tree(user.work / "orbit"), (user.root / ".codex/config.toml").read_bytes()) == before


def test_shared_settings_have_the_lanes_of_every_repository(user: Home) -> None:
    init(user, "--recall", "prompt", agents="codex")
    init(user, "--recall", "command", repo="pier", agents="codex")
    assert {"UserPromptSubmit", "PostToolUse"} <= set(codex(user))
    init(user, "--recall", "none", agents="codex")
    assert "UserPromptSubmit" not in codex(user)
    assert "PostToolUse" in codex(user)


def test_clean_restores_every_file(user: Home) -> None:
    before = tree(user.work / "orbit")
    init(user, "--recall", "all")
    assert run(["clean", "--repo", str(user.work / "orbit"), "--yes"]) == 0
    assert tree(user.work / "orbit") == before
    assert (
        not (user.root / ".codex/config.toml").exists() or "hook" not in (user.root / ".codex/config.toml").read_text()
    )


def test_a_lane_that_is_unknown_is_refused(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert init(user, "--recall", "prompt,everything") == 2
    assert "everything" in capsys.readouterr().err
