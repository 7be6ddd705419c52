"""What a startup block names beside the notes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.continuity.markdown import render
from aicx.continuity.note import Layer, Layers, Note, NoteItem
from aicx.continuity.places import note_places
from aicx.continuity.startup import Extra, note_files, startup_extra
from aicx.memory.briefing import brief
from aicx.memory.reading import find_scope
from aicx.work.place import find_place
from tests.corpus.builders import when

GOAL = Note(NoteItem("Mend the lexer", "goal", "local"))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "orbit"
    for name in (".git", ".aicx", "docs"):
        (folder / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for name in ("AGENTS.md", "docs/agents.md", "docs/handbook.md"):
        (folder / name).write_text("# Page\n")
    (folder / ".aicx" / "config.toml").write_text(
        'instruction_files = ["docs/agents.md"]\nteam_files = ["docs/handbook.md"]\n'
    )
    return folder


def extra(repo: Path) -> Extra:
    settings = load_settings()
    memory = brief(settings, find_scope(settings, repo), "", when(0), 8)
    return startup_extra(settings, repo, memory)


def test_files_are_named_as_they_are_found(repo: Path) -> None:
    found = extra(repo)
    assert found["instructionFiles"] == ["AGENTS.md", "docs/agents.md"]
    assert found["teamEntries"] == ["docs/handbook.md"]


def test_notes_are_named_from_the_worktree_and_from_the_home_folder(repo: Path) -> None:
    settings = load_settings()
    paths: dict[Layer, Path] = {
        "local": repo / ".aicx/continuity/active.md",
        "project": settings.layout.work / "x" / "continuity" / "project.md",
    }
    assert note_files(settings, repo, Layers(None, GOAL, GOAL, paths=paths)) == {
        "local": ".aicx/continuity/active.md",
        "project": "~/.aicx/work/x/continuity/project.md",
    }


def test_what_waits_is_named_without_its_text_and_what_is_agreed_is_told(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repo)
    for name, text in (("one", "Never trust the lexer"), ("two", "Exports need a check")):
        assert run(["memory", "put", text, "--kind", "policy", "--topic", "exports", "--name", name]) == 0
    assert run(["memory", "accept", "two", "--by", "Ada Lovelace", "--yes"]) == 0
    found = extra(repo)
    assert found["agreedMemory"] == ["Exports need a check"]
    [waiting] = found["stagedCandidates"]
    assert waiting.startswith("mem:")
    assert "lexer" not in waiting


def test_the_policy_keeps_names_of_files_back(repo: Path) -> None:
    (repo / ".aicx" / "memory-policy.toml").write_text('exclude_paths = ["docs/"]\n')
    found = extra(repo)
    assert (found["instructionFiles"], found["teamEntries"]) == (["AGENTS.md"], [])


def test_a_policy_that_cannot_be_read_keeps_everything_back(repo: Path) -> None:
    (repo / ".aicx" / "memory-policy.toml").write_text("exclude_paths = [")
    settings = load_settings()
    assert startup_extra(settings, repo, None) == {}


def test_the_block_can_be_looked_at(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = load_settings()
    settings.layout.config_file.parent.mkdir(parents=True, exist_ok=True)
    settings.layout.config_file.write_text("continuity_lines = 12\n")
    path = note_places(settings, find_place(settings, repo)).local
    path.parent.mkdir(parents=True)
    path.write_text(render(GOAL, "local"))
    assert run(["continuity", "load", "--repo", str(repo), "--json"]) == 0
    startup = json.loads(capsys.readouterr().out)["startup"]
    assert startup["text"].splitlines()[4] == "Goal: Mend the lexer"
    assert startup["lineCount"] == len(startup["text"].splitlines()) <= startup["lineLimit"] == 12
    assert startup["sourceFiles"] == [".aicx/continuity/active.md"]
    assert startup["sectionsRendered"]["goal"] is True
    assert startup["omissionCounts"] == {one["section"]: one["count"] for one in startup["omissions"]}
