"""The configuration that a repository tracks: shared keys count, a person's own are ignored with a warning."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.config import LOCAL_ONLY, load_settings
from aicx.continuity.context import tracked_settings
from aicx.errors import UsageError


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "orbit"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "docs").mkdir()
    for name in ("agents.md", "handbook.md"):
        (folder / "docs" / name).write_text("# Page\n")
    return folder


def track(repo: Path, text: str) -> Path:
    file = repo / ".aicx" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def warnings(repo: Path) -> list[str]:
    return tracked_settings(load_settings(), repo)[1]


def test_shared_keys_count(repo: Path, home: Path) -> None:
    track(repo, 'instruction_files = ["docs/agents.md"]\nteam_files = ["docs/handbook.md", "docs/handbook.md"]\n')
    found = {"instruction_files": ("docs/agents.md",), "team_files": ("docs/handbook.md",)}
    assert tracked_settings(load_settings(), repo) == (found, [])


@pytest.mark.parametrize("key", sorted(LOCAL_ONLY))
def test_a_key_that_is_a_persons_own_is_ignored_and_named(repo: Path, home: Path, key: str) -> None:
    """C23: a tracked configuration that sets any local-only key; the warning names the key and the file."""
    before = load_settings()
    track(repo, f'{key} = true\nteam_files = ["docs/handbook.md"]\n')
    [warning] = warnings(repo)
    assert warning.startswith(f".aicx/config.toml: {key} is ignored")
    assert load_settings() == before
    assert tracked_settings(before, repo)[0]["team_files"] == ("docs/handbook.md",)  # everything else goes through


def test_an_unknown_key_is_named(repo: Path, home: Path) -> None:
    track(repo, "colour = 1\n[continuity]\nauto_save = true\n")
    assert [line.split(" is ")[0] for line in warnings(repo)] == [
        ".aicx/config.toml: colour",
        ".aicx/config.toml: continuity",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("team_files = [", "it is not TOML"),
        ('team_files = "docs"', "team_files: it must be a list of paths"),
        ("team_files = [1]", "team_files: it must be a list of paths"),
        ('team_files = ["/etc/hosts"]', "team_files: /etc/hosts is not a file of the repository"),
        ('team_files = ["../x"]', "team_files: ../x is not a file of the repository"),
        ('team_files = ["docs"]', "team_files: docs is not a file of the repository"),
        ('team_files = ["gone.md"]', "team_files: gone.md is not a file of the repository"),
        ('team_files = [".git/HEAD"]', "team_files: .git/HEAD is not a file of the repository"),
        (f"team_files = {[f'x{number}' for number in range(21)]}", "team_files: only the first 20 paths are used"),
        ("x = " + "[" * 5000 + "]" * 5000, "it is not TOML"),
    ],
)
def test_what_cannot_be_used_is_named_and_harmless(repo: Path, home: Path, text: str, why: str) -> None:
    track(repo, text)
    assert any(why in line for line in warnings(repo))
    assert tracked_settings(load_settings(), repo)[0]["team_files"] == ()


def test_a_file_that_is_no_regular_one_is_not_read(repo: Path, home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.toml"
    outside.write_text('team_files = ["docs/handbook.md"]\n')
    file = track(repo, "")
    file.unlink()
    file.symlink_to(outside)
    assert warnings(repo) == [".aicx/config.toml is ignored: it is a link that leads out of the repository"]
    file.unlink()
    os.mkfifo(file)
    assert warnings(repo) == [".aicx/config.toml is ignored: it cannot be read as a file"]


def test_the_configuration_of_the_home_is_no_repositorys(home: Path) -> None:
    settings = load_settings()
    settings.layout.config_file.parent.mkdir(parents=True, exist_ok=True)
    settings.layout.config_file.write_text("continuity_lines = 20\n")
    assert warnings(home) == []


def test_the_check_of_a_repository_shows_the_warnings(
    repo: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    track(repo, "workers = 64\n")
    run(["doctor", "--repo", str(repo), "--json"])
    checks = json.loads(capsys.readouterr().out)["checks"]
    [found] = [check for check in checks if check["name"] == "repository_config"]
    assert found["status"] == "warning"
    assert found["summary"].startswith(".aicx/config.toml: workers is ignored")


@pytest.mark.parametrize("command", ["status", "load"])
def test_the_commands_of_notes_show_the_warnings(
    repo: Path, home: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """C23: visible where a person looks at notes."""
    track(repo, 'continuity = "always"\n')
    assert run(["continuity", command, "--repo", str(repo)]) == 0
    assert ".aicx/config.toml: continuity is ignored" in capsys.readouterr().err
    assert run(["continuity", command, "--repo", str(repo), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [note.split(" is ")[0] for note in found["notes"]] == [".aicx/config.toml: continuity"]
    assert found.get("automatic", False) is False  # what is tracked switches nothing on


@pytest.mark.parametrize("value", ["9", "201", "true", '"60"'])
def test_lines_out_of_bounds_are_refused(home: Path, value: str) -> None:
    file = load_settings().layout.config_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"continuity_lines = {value}\n")
    with pytest.raises(UsageError, match="continuity_lines"):
        load_settings()
