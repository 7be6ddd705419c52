"""Continuity is off until `aicx init` with hooks switches it on for a repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aicx.agents import records
from aicx.cli import run
from aicx.config import load_settings
from aicx.git.identity import find_repository


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "orbit"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return folder


def init(repo: Path, *more: str, agents: str = "claude") -> None:
    assert run(["init", "--repo", str(repo), "--agents", agents, "--yes", *more]) == 0


def is_on(repo: Path) -> bool:
    return records.has_continuity(records.of_repository(load_settings().layout, find_repository(repo)))


def worktree_of(repo: Path, folder: Path) -> Path:
    git = repo / ".git" / "worktrees" / folder.name
    git.mkdir(parents=True)
    (git / "commondir").write_text("../..\n")
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {git}\n")
    return folder


def test_it_is_off_by_default(repo: Path) -> None:
    """C24: the default configuration switches nothing on."""
    assert not is_on(repo)


def test_hooks_switch_it_on(repo: Path) -> None:
    init(repo)
    assert is_on(repo)


def test_an_agent_without_hooks_does_not(repo: Path) -> None:
    init(repo, agents="copilot")
    assert not is_on(repo)


def test_what_was_decided_is_kept_until_it_is_said_again(repo: Path) -> None:
    init(repo, "--no-continuity")
    assert not is_on(repo)
    init(repo)
    assert not is_on(repo)
    init(repo, "--continuity")
    assert is_on(repo)
    init(repo, "--no-continuity")
    assert not is_on(repo)


def test_a_repository_that_was_set_up_before_is_left_off(repo: Path) -> None:
    init(repo)
    [file] = (load_settings().layout.agents / "folders").glob("orbit-*.json")
    held = json.loads(file.read_text())
    del held["continuity"]
    file.write_text(json.dumps(held))
    assert not is_on(repo)


def test_clean_switches_it_off(repo: Path) -> None:
    init(repo)
    assert run(["clean", "--repo", str(repo), "--yes"]) == 0
    assert not is_on(repo)


def test_a_dry_run_decides_nothing(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--repo", str(repo), "--agents", "claude", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["continuity"] is True
    assert not is_on(repo)


def test_a_worktree_follows_its_repository_until_it_decides_itself(repo: Path, tmp_path: Path) -> None:
    tree = worktree_of(repo, tmp_path / "tree")
    init(repo)
    assert is_on(tree)
    init(tree, "--no-continuity")
    assert not is_on(tree)
    assert is_on(repo)


def test_another_repository_is_left_off(repo: Path, tmp_path: Path) -> None:
    init(repo)
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    assert not is_on(other)


def test_the_check_of_a_repository_says_it(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    init(repo, "--no-continuity")
    capsys.readouterr()
    run(["doctor", "--repo", str(repo), "--json"])
    [found] = [check for check in json.loads(capsys.readouterr().out)["checks"] if check["name"] == "continuity"]
    assert "aicx init --continuity" in found["summary"]
