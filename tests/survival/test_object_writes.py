"""Objects that are put, collected and forgotten by processes that are killed at any step, or by many at once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.cas.entry import names_in, object_path
from aicx.cas.reading import is_sound, list_entries
from aicx.paths import Layout
from tests.corpus.builders import SESSION, ClaudeLog
from tests.survival.runs import HERE, REPOSITORY, TIMEOUT, Home, Runner

pytestmark = pytest.mark.process

OLD = "put long ago\n"
NEW = "put just now\n"
PINNED = "pinned\n"


def digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A stored session, a pack of it, a text and a pinned one."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / "repo").mkdir()
    log = ClaudeLog(SESSION, str(folder / "repo")).prompt("Fix the gasket", 0).answer("Should I go on?", 5)
    path = folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(log.body())
    home = Home(folder / "user", folder / "corpus")
    for name, text in (("old", OLD), ("new", NEW), ("pinned", PINNED)):
        (folder / name).write_text(text)
    do(home, "store")
    do(home, "cas", "put", str(folder / "old"))
    do(home, "cas", "put", str(folder / "pinned"))
    do(home, "cas", "pin", f"sha256:{digest_of(PINNED)}")
    do(home, "pack", "task", "--repo", str(folder / "repo"), "--now", "2026-03-10T12:00:00Z")
    return home


def do(home: Home, *arguments: str) -> dict[str, Any]:
    return HERE.said(home, *arguments, "--json")


def view(home: Home) -> set[str]:
    """The objects that are listed; each has to be sound."""
    layout = Layout(home.corpus)
    entries, damaged = list_entries(layout)
    assert damaged == []
    assert all(is_sound(layout, entry.name) for entry in entries)
    return {entry.name for entry in entries}


def commands(home: Home) -> dict[str, tuple[str, ...]]:
    return {
        "put": ("cas", "put", str(home.user.parent / "new"), "--json"),
        "put again": ("cas", "put", str(home.user.parent / "old"), "--tag", "twice", "--json"),
        "gc": ("cas", "gc", "--older-than", "0", "--apply", "--json"),
    }


@pytest.mark.parametrize("command", ["put", "put again", "gc"])
def test_a_kill_at_any_step_leaves_whole_objects_and_the_pinned_one(
    command: str, begun: Home, runner: Runner, tmp_path: Path
) -> None:
    words = commands(begun)[command]
    before = view(begun)

    whole = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "whole"))
    cuts = runner.cuts(whole, tmp_path / "cuts", *words)
    after = view(whole)
    seen = []
    for step, home in cuts:
        found = view(home)
        seen.append(found)
        assert digest_of(PINNED) in found, step
        assert found in (before, after) or (command == "gc" and after <= found <= before), step
        # The same call again finishes it, and a later look at the home leaves nothing of the kill.
        assert HERE.run(home, *words).code == 0
        assert view(home) == after
        fixed = HERE.run(home, "doctor", "--fix", "--json").out
        checks = {check["name"]: check for check in json.loads(fixed)["checks"]}
        assert checks["cas"]["severity"] == "green", (step, checks["cas"])
        assert not list((home.corpus / "locks" / "cas-staging").glob("*"))
        layout = Layout(home.corpus)
        sidecars = {path.stem for path in (layout.cas / "sha256").glob("*/*.json")}
        assert sidecars == set(names_in(layout))
        assert not list(layout.cas.rglob("*.aicx-part"))
    assert before in seen
    if command != "put again":
        assert after in seen


def test_a_forget_that_is_killed_at_any_step_ends_without_the_pack(begun: Home, runner: Runner, tmp_path: Path) -> None:
    words = ("forget", "--session", SESSION, "--yes", "--json")
    (pack,) = (entry.name for entry in list_entries(Layout(begun.corpus))[0] if entry.kind == "task_pack")
    measured = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "measured"))
    ours = 0
    for _, home in runner.cuts(measured, tmp_path / "cuts", *words, about="cas"):
        ours += 1
        assert HERE.run(home, *words).code == 0
        assert not object_path(Layout(home.corpus), pack).exists()
        assert not [path for path in home.corpus.rglob("*") if path.is_file() and b"the gasket" in path.read_bytes()]
        gone = HERE.run(home, "cas", "get", pack, "--json")
        assert gone.code == 3
        assert "which was forgotten" in json.loads(gone.out)["error"]
    assert ours > 3


def test_a_put_that_is_killed_while_it_reads_leaves_nothing_that_is_listed(begun: Home, tmp_path: Path) -> None:
    """A real process with a pipe that never ends."""
    home = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "corpus"))
    before = view(home)
    process = subprocess.Popen(
        [sys.executable, "-m", "aicx", "cas", "put", "-", "--binary"],
        cwd=REPOSITORY,
        env=home.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    staging = home.corpus / "locks" / "cas-staging"
    process.stdin.write(b"\0" * 3_000_000)
    process.stdin.flush()
    until = time.monotonic() + TIMEOUT
    while not any(path.stat().st_size for path in staging.glob("*")) and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(TIMEOUT)
    process.stdin.close()
    assert list(staging.glob("*"))
    assert view(home) == before
    run = subprocess.run(
        [sys.executable, "-m", "aicx", "cas", "gc", "--apply", "--json"],
        cwd=REPOSITORY, env=home.environ, capture_output=True, timeout=TIMEOUT, check=True,
    )  # fmt: skip
    assert json.loads(run.stdout)["leftovers"] == 1
    assert not list(staging.glob("*"))


_WRITERS = """
import io, os, sys
from datetime import UTC, datetime
from aicx.cas.writing import Origin, collect, put
from aicx.config import load_settings

children = []
for number in range(12):
    child = os.fork()
    if child == 0:
        settings, now = load_settings(), datetime.now(UTC)
        for turn in range(5):
            if number == 11:
                collect(settings, now, days=1, apply=True)
            else:
                text = f"shared {turn}" if number % 2 else f"own {number} {turn}"
                put(settings, io.BytesIO(text.encode()), Origin(tags=(f"w{number}",)), now)
        os._exit(0)
    children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""


def test_twelve_processes_that_put_and_collect_at_once_lose_nothing(begun: Home, tmp_path: Path) -> None:
    home = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "corpus"))
    (home.corpus / "config.toml").write_text("lock_wait_seconds = 60\n")  # of twelve, on a machine that is busy
    before = view(home)
    done = subprocess.run(
        [sys.executable, "-c", _WRITERS], cwd=REPOSITORY, env=home.environ, capture_output=True, text=True,
        timeout=TIMEOUT, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == [0] * 12, done.stderr
    layout = Layout(home.corpus)
    new = {f"shared {turn}" for turn in range(5)}
    new |= {f"own {number} {turn}" for number in range(0, 11, 2) for turn in range(5)}
    # What is put in the year of the fixed clock of the pack is old: `collect` takes that, and nothing else.
    kept = {entry.name for entry in list_entries(layout)[0] if entry.kind == "text"}
    assert kept >= {digest_of(text) for text in new} | {digest_of(OLD), digest_of(PINNED)}
    assert view(home) - before == {digest_of(text) for text in new}
    shared = next(entry for entry in list_entries(layout)[0] if entry.name == digest_of("shared 0"))
    assert set(shared.tags) == {f"w{number}" for number in range(1, 11, 2)}
