"""Work that a session of a real client leaves open reaches the next one, and nobody calls aicx in between."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.config import load_settings
from tests.clients.real.model import Call
from tests.clients.real.running import CLIENTS, RealClient, install
from tests.clients.real.test_hooks import banners, repo, texts

pytestmark = pytest.mark.needs("mcp")

__all__ = ["repo"]
GOAL = "Make the exporter resumable after a crash."
STEP = "Write the checkpoint after each page."
OPEN = f"The exporter writes its pages now.\n\nNext steps:\n- {STEP}"
BLOCK = "# Session Continuity"
_SECONDS = 60


def notes(repo: Path) -> str:
    """The notes of the worktree and the project; empty until they are saved."""
    found = [*load_settings().layout.work.glob("*/continuity/project.md"), repo / ".aicx/continuity/active.md"]
    return "\n".join(path.read_text() for path in found if path.exists())


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + _SECONDS
    while not holds():
        log = load_settings().layout.agents / "hooks.log"
        assert time.monotonic() < end, log.read_text() if log.exists() else "nothing in the log of hooks"
        time.sleep(0.2)


def leave_open(client: RealClient, repo: Path, home: Path) -> None:
    """A first session, which ends with work left open; its notes are saved without a word of anybody's."""
    client.run(home, [], prompt=GOAL, cwd=repo, says=OPEN)
    until(lambda: GOAL in notes(repo) and STEP in notes(repo))


def assert_told(text: str, goal: str = GOAL) -> None:
    """The startup block with goal and next step is in a request, between fences."""
    _, found, block = text.partition(BLOCK)
    assert found
    _, fence, inside = block.partition("```` quoted-history")
    assert fence
    inside = inside.partition("````")[0]
    assert f"Goal: {goal}" in inside
    assert f"- {STEP}" in inside


def test_the_second_session_is_told_what_the_first_left_open(
    client: RealClient, repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AICX_HOME")
    assert run(["init", "--repo", str(repo), "--agents", client.name, "--yes"]) == 0
    leave_open(client, repo, home)
    second = client.run(home, [], cwd=repo)
    opening = texts(second.requests[0])
    assert banners(second.requests[0], client) == 1
    assert f"{client.name}@orbit · session #2 · awake" in opening
    assert_told(opening)
    status = subprocess.run(
        ["git", "-C", str(repo), "status", "--porcelain"], capture_output=True, text=True, check=True
    )
    assert ".aicx" not in status.stdout
    assert not (load_settings().layout.agents / "hooks.log").exists()


def test_what_was_left_off_is_neither_saved_nor_told(
    client: RealClient, repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C24: `--no-continuity`; logs are stored all the same, and the brief is told."""
    monkeypatch.delenv("AICX_HOME")
    assert run(["init", "--repo", str(repo), "--agents", client.name, "--no-continuity", "--yes"]) == 0
    client.run(home, [], prompt=GOAL, cwd=repo, says=OPEN)
    layout = load_settings().layout
    until(lambda: any(GOAL in path.read_text() for path in layout.store.rglob("*.md")))
    until(lambda: not (layout.agents / "store-wanted").exists())
    second = client.run(home, [], cwd=repo)
    opening = texts(second.requests[0])
    assert banners(second.requests[0], client) == 1
    assert BLOCK not in opening
    assert notes(repo) == ""


def test_work_goes_on_in_another_agent(repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AICX_HOME")
    clients = list(CLIENTS.values())
    for client in clients:
        install(client)
    assert run(["init", "--repo", str(repo), "--agents", ",".join(CLIENTS), "--yes"]) == 0
    leave_open(clients[0], repo, home)
    for number, client in enumerate(clients[1:], 2):
        session = client.run(home, [], cwd=repo)
        opening = texts(session.requests[0])
        assert f"{client.name}@orbit · session #{number} · awake" in opening
        assert_told(opening)
        until(lambda number=number: load_sessions() >= number)  # type: ignore[misc]


def load_sessions() -> int:
    return len({path.name.rsplit("_", 1)[0] for path in load_settings().layout.store.rglob("*.md")})


def test_a_compaction_of_claude_loses_nothing(repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = CLIENTS["claude"]
    install(client)
    monkeypatch.delenv("AICX_HOME")
    assert run(["init", "--repo", str(repo), "--agents", "claude", "--yes"]) == 0
    leave_open(client, repo, home)
    for _ in range(3):  # a shorter session has nothing to compact
        client.run(home, [], cwd=repo, says=OPEN, more=["--continue"])
    with client.model([], OPEN) as model:
        client.drive(home, model, "/compact", repo, ["--continue"])
    assert model.requests  # the one for the summary
    session = client.run(home, [], cwd=repo, more=["--continue"])
    said = texts(session.requests[0])
    assert "SessionStart hook additional context: # Session Continuity" in said
    assert_told(said)
    assert said.count("A compaction of this session began at") == 1
    assert "session #" not in said  # the banner went with the rest, and comes once
    after = client.run(home, [], cwd=repo, more=["--continue"])
    assert texts(after.requests[0]).count("A compaction of this session began at") == 1


def test_a_compaction_of_codex_loses_nothing(repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = CLIENTS["codex"]
    install(client)
    monkeypatch.delenv("AICX_HOME")
    assert run(["init", "--repo", str(repo), "--agents", "codex", "--yes"]) == 0
    leave_open(client, repo, home)
    # Each answer of the model is as long as the context may be, so that Codex compacts after each call. What a session
    # lost is known once it is stored and its notes are saved, which the first of two compactions asks for.
    limit, asked = ["-c", "model_auto_compact_token_limit=10"], "Begin with the file of the checkpoint."
    wait = f'for i in $(seq 100); do grep -rqs "{asked}" ~/.aicx/work .aicx/continuity && break; sleep 0.2; done'
    commands = [{"cmd": "true"}, {"cmd": wait, "yield_time_ms": 30_000}]
    with client.model([Call("exec_command", one) for one in commands], OPEN) as model:
        client.drive(home, model, asked, repo, limit)
    first, last = texts(model.requests[0]), texts(model.requests[-1])
    assert banners(model.requests[0], client) == 1
    assert_told(first)
    assert banners(model.requests[-1], client) == 0
    assert_told(last, asked)
    assert "A compaction of this session began at" in last
    assert asked in last.partition("# Restored context")[2]
