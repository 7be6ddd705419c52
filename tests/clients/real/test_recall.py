"""What `aicx init --recall` has real clients tell their model: at a prompt, after a failed command, before an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.cli import run
from tests.clients.real.model import Call
from tests.clients.real.running import RealClient
from tests.clients.real.test_hooks import repo, texts
from tests.corpus.builders import SESSION, ClaudeLog

__all__ = ["repo"]

_ERROR = "src/cart.py:4: error: Name is not defined anywhere in the cart"
_FAILS = f"mypy() {{ echo '{_ERROR}'; exit 1; }}; mypy src"
_CAME = "the end of the input flushed nothing"
_DECIDED = "don't use regular expressions in lexer.txt"
_AGAIN = "The lexer drops the last token of a line again, why?"


@pytest.fixture
def told(client: RealClient, repo: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stored session that asked, decided and mended something, and a repository with all lanes."""
    monkeypatch.delenv("AICX_HOME")
    folder = str(repo)
    log = ClaudeLog(SESSION, folder).prompt("Why does the lexer drop the last token of a line without a newline?", 0)
    log.answer(f"The lexer dropped the last token because {_CAME}; it does now.", 5).prompt("Check the types", 8)
    log.call("Bash", 11, "t1", command="mypy src").result(_ERROR, 12, "t1", failed=True)
    log.call("Edit", 13, "t2", file_path=f"{folder}/src/cart.py", new_string="x", old_string="y").result("", 14, "t2")
    log.call("Bash", 15, "t3", command="mypy src").result("Success: no issues found", 16, "t3")
    log.answer("The types of the cart hold again.", 17).prompt(_DECIDED, 20).answer("There are none in it.", 22)
    file = home / ".claude" / "projects" / "-orbit" / f"{SESSION}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(log.body())
    assert run(["store"]) == 0
    assert run(["init", "--repo", folder, "--agents", client.name, "--recall", "all", "--yes"]) == 0


def shell(client: RealClient, command: str) -> Call:
    if client.name == "claude":
        return Call("Bash", {"command": command, "description": "Runs it"})
    if client.name == "codex":
        return Call("exec_command", {"cmd": command})
    return Call("run_shell_command", {"command": command})


@pytest.mark.usefixtures("told")
def test_a_prompt_that_was_asked_before_reaches_the_model_with_what_came_of_it(
    client: RealClient, repo: Path, home: Path
) -> None:
    session = client.run(home, [], prompt=_AGAIN, cwd=repo)
    assert "Asked on 2026-03-01" in texts(session.requests)
    assert _CAME in texts(session.requests)


@pytest.mark.usefixtures("told")
def test_a_failed_command_reaches_the_model_with_what_ended_the_failure_before(
    client: RealClient, repo: Path, home: Path
) -> None:
    session = client.run(home, [shell(client, _FAILS)], prompt="Go on.", cwd=repo)
    assert "and passed after a change of" in texts(session.requests)


@pytest.mark.usefixtures("told")
def test_an_edit_reaches_the_model_with_the_decision_about_its_file(client: RealClient, repo: Path, home: Path) -> None:
    file = repo / "lexer.txt"
    if client.name != "claude":
        pytest.skip("Gemini CLI takes no context before a tool, and the scripted model calls no custom tool of Codex")
    session = client.run(home, [Call("Write", {"file_path": str(file), "content": "b\n"})], prompt="Go on.", cwd=repo)
    assert file.read_text() == "b\n"
    assert "Decided about lexer.txt" in texts(session.requests)
