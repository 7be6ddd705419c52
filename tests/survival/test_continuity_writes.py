"""Writings of notes that are killed at any step, or made in two worktrees at once: both notes or neither."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from aicx.config import load_settings
from aicx.continuity.note import Layers, Scope
from aicx.continuity.reading import read_layers
from aicx.continuity.saving import save
from aicx.work.place import find_place
from tests.corpus.builders import ClaudeLog
from tests.forked import Piped
from tests.survival.runs import CUTS, HERE, Home, Runner

pytestmark = pytest.mark.process

OLD, NEW = "Count the herons", "Count the otters"
COMMANDS = {"save": ("save",), "refresh": ("refresh", "--log", "NEW"), "clear": ("clear",)}


def write_log(folder: Path, repo: Path, name: str, goal: str, test: str, begin: float) -> Path:
    log = ClaudeLog(name, str(repo)).prompt(f"{goal} in src/lake/birds.py", begin)
    log.call("Bash", begin + 1, "a", command=f"pytest {test}").result("1 passed", begin + 2, "a")
    path = folder / f"user/.claude/projects/{''.join(s if s.isalnum() else '-' for s in str(repo))}/{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(record).encode() + b"\n" for record in log.answer("Next step: count again.", begin + 3).records)
    path.write_bytes(b"".join(lines))
    return path


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Path, Path]:
    """A folder with a home and a repository whose notes are from an older session, and the log of a newer one."""
    folder = tmp_path / "begun"
    repo = repo_of(folder)
    repo.mkdir(parents=True)
    write_log(folder, repo, "1a2b3c4d-0000-4000-8000-000000000001", OLD, "tests/heron", 0)
    do(folder, "save")
    return folder, write_log(folder, repo, "2a2b3c4d-0000-4000-8000-000000000002", NEW, "tests/otter", 1000)


def home_of(folder: Path) -> Home:
    return Home(folder / "user", folder / "corpus")


def repo_of(folder: Path) -> Path:
    """In the corpus, so that what is done to its files counts as a step."""
    return folder / "corpus" / "repo"


def words(folder: Path, *arguments: str) -> tuple[str, ...]:
    return ("continuity", *arguments, "--repo", str(repo_of(folder)), "--json")


def do(folder: Path, *arguments: str) -> dict[str, Any]:
    return HERE.said(home_of(folder), *words(folder, *arguments))


def layers(folder: Path) -> Layers:
    settings = load_settings(home_of(folder).environ)
    return read_layers(settings, find_place(settings, repo_of(folder)))


def write_after(folder: Path, log: Path, scope: Scope = "project") -> None:
    """What the next writer does: it settles what was begun, and writes notes of its own."""
    settings = load_settings(home_of(folder).environ)
    save(settings, find_place(settings, repo_of(folder)), scope, datetime.now(UTC), log=log)


def view(folder: Path) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """What both notes say, without the times at which they were written."""
    found = layers(folder)
    assert not found.broken
    texts = [None if note is None else tuple(item.text for item in note.items) for note in (found.project, found.local)]
    return texts[0], texts[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_at_any_step_leaves_both_notes_or_neither(
    command: str, begun: tuple[Path, Path], runner: Runner, tmp_path: Path
) -> None:
    folder, log = begun
    asked = words(folder, *(str(log) if word == "NEW" else word for word in COMMANDS[command]))
    before = view(folder)
    cuts = runner.cuts(home_of(folder), tmp_path / "cuts", *asked)
    after = view(folder)
    assert before != after
    killed = 0
    for step, cut in cuts:
        killed += 1
        shutil.rmtree(folder / "corpus")
        shutil.copytree(cut.corpus, folder / "corpus", symlinks=True)  # at the same path: notes know where they are
        assert view(folder) in (before, after), f"read after a kill at {step}"
        seen = view(folder)
        write_after(folder, log)
        local = layers(folder).local
        said = None if local is None else tuple(item.text for item in local.items)
        assert said == seen[1], f"settled after a kill at {step}"
        write_after(folder, log, "both")
        tops = (repo_of(folder), folder / "corpus")
        left = [path.name for top in tops for path in top.rglob("*aicx-part*")]
        assert not left, f"left after a kill at {step}"
    assert killed >= CUTS


def test_two_worktrees_that_save_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "twice"
    repo = folder / "repo"
    repo.mkdir(parents=True)
    git = ["git", "-C", str(repo), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "First"]):
        subprocess.run([*git, *command], check=True)
    places = [repo]
    for number in range(3):
        places.append(folder / f"tree{number}")
        subprocess.run([*git, "worktree", "add", "-q", "-b", f"b{number}", str(places[-1])], check=True)
    for number, place in enumerate(places):
        write_log(
            folder, place, f"{number}a2b3c4d-0000-4000-8000-000000000001", f"Goal {number}", f"tests/t{number}", 10
        )
    command, streams = ("continuity", "save", "--json", "--repo"), dict.fromkeys(("stdin", "stdout", "stderr"), PIPE)
    running = [Piped([*command, str(place)], home_of(folder).environ, **streams) for place in places]
    for ended in [process.to_end() for process in running]:
        assert ended.returncode == 0, ended.stderr.decode()
    settings = load_settings(home_of(folder).environ)
    shared = read_layers(settings, find_place(settings, repo)).project
    assert shared is not None
    assert {item.text for item in shared.sections["confirmed"]} == {f"`pytest tests/t{n}` passed" for n in range(4)}
    for number, place in enumerate(places):
        local = read_layers(settings, find_place(settings, place)).local
        assert local is not None
        assert local.goal is not None
        assert local.goal.text.startswith(f"Goal {number}")
