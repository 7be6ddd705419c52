"""`aicx init` with real clients: each session begins with its brief, and is stored without anybody calling aicx."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from aicx.agents.change import SetupChange
from aicx.agents.plan import plan_init
from aicx.agents.startup import MAX_BYTES
from aicx.cli import run
from aicx.config import load_settings
from aicx.corpus.files.read import load_sidecar, walk_chunks
from aicx.git.identity import find_repository
from tests.clients.real.running import RealClient
from tests.commands.test_init import tree

pytestmark = pytest.mark.needs("mcp")

PROMPT = "Say which colour the shed in the garden has."
_SECONDS_TO_STORE = 60


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "orbit"
    folder.mkdir()
    (folder / "README.md").write_text("# Orbit\n")
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.local.json").write_text('{\n  "permissions": {"allow": ["Bash(ls)"]}\n}\n')
    (folder / ".gemini").mkdir()
    (folder / ".gemini" / "settings.json").write_text("// ours\n{ }\n")
    for words in (["init", "--quiet"], ["remote", "add", "origin", "https://x.org/ada/orbit.git"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    return folder


def texts(body: Any) -> str:
    """Everything that a request holds, as one text."""
    return json.dumps(body, ensure_ascii=False)


def banners(request: Mapping[str, Any], client: RealClient) -> int:
    return texts(request).count(f"{client.name}@orbit · session #")


def stored(home: Path) -> Sequence[str]:
    """The text of every stored chunk."""
    layout = load_settings({"HOME": str(home)}).layout
    return [(layout.home / path).read_text() for path in walk_chunks(layout)] if layout.store.exists() else []


def wait_until_stored(home: Path, words: str) -> None:
    end = time.monotonic() + _SECONDS_TO_STORE
    while not any(words in text for text in stored(home)):
        assert time.monotonic() < end, (home / ".aicx" / "agents").exists() and list((home / ".aicx").rglob("*.log"))
        time.sleep(0.2)


def test_the_longest_context_arrives_whole(
    client: RealClient, repo: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AICX_HOME")
    context = "BEGIN " + "ä word " * (MAX_BYTES // len("ä word ".encode()) - 2) + "END"
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}}
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert run(["init", "--repo", str(repo), "--agents", client.name, "--yes"]) == 0
    [file] = [change.path for change in plan_of(repo, client) if change.path.suffix in (".json", ".toml")]
    file.write_text(
        re.sub(r"[^\" ]*aicx hook session-start --agent \w+", f"cat {tmp_path}/answer.json", file.read_text())
    )
    session = client.run(home, [], prompt=PROMPT, cwd=repo)
    assert context in texts(session.requests[0])


def plan_of(repo: Path, client: RealClient) -> Sequence[SetupChange]:
    return plan_init(load_settings(), find_repository(repo), [client.name]).changes


def test_a_session_is_briefed_once_stored_by_itself_and_restored_by_clean(
    client: RealClient, repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AICX_HOME")
    before = tree(repo)
    assert run(["init", "--repo", str(repo), "--agents", client.name, "--yes"]) == 0
    assert run(["install", client.name, "--yes"]) == 0

    first = client.run(home, [], prompt=PROMPT, cwd=repo)
    assert [banners(request, client) for request in first.requests] == [1] * len(first.requests)
    assert f"{client.name}@orbit · session #1 · awake" in texts(first.requests[0])
    wait_until_stored(home, PROMPT)

    second = client.run(home, [client.call("aicx_search", {"query": "colour of the shed"})], cwd=repo)
    opening = texts(second.requests[0])
    assert f"{client.name}@orbit · session #2 · awake" in opening
    assert banners(second.requests[-1], client) == 1
    _, fence, history = opening.partition("```` quoted-history")
    assert fence
    assert PROMPT.rstrip(".") in history
    [found] = second.results
    assert PROMPT.rstrip(".") in found

    wait_until_stored(home, "aicx_search")
    # What a hook said to the model is in the client's log, and neither a prompt nor anything else that was said.
    assert "· awake" not in "".join(stored(home))
    layout = load_settings({"HOME": str(home)}).layout
    fields = [load_sidecar(layout, path).fields for path in walk_chunks(layout)]
    assert len({one["session_id"] for one in fields}) == 2
    assert not (home / ".aicx" / "agents" / "hooks.log").exists()

    assert run(["clean", "--repo", str(repo), "--yes"]) == 0
    assert tree(repo) == before
    third = client.run(home, [], prompt="Once more.", cwd=repo)
    assert [banners(request, client) for request in third.requests] == [0] * len(third.requests)
