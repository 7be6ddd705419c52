"""`aicx show` opens whatever reference a command prints: in JSON, in text, by name."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import Home
from tests.golden.story import fill
from tests.kept import Kept
from tests.parts import is_missing
from tests.sampling import sample
from tests.servers.mcp.mcp_client import ask, call

pytestmark = [pytest.mark.needs("git"), pytest.mark.slow]

REFERENCE = re.compile(
    r"\b(?:mem|work|failure|sha256|session|chunk|commit|map|live|file|claude|codex):[^\s\"'`,;()\[\]|]+[^\s\"'`,;()\[\]|.:]"
    r"|\b[0-9a-f]{8}:\d{3}\b|(?<=\"session_id\": \")[^\"]+"
)
PRINTING = (
    "search retry policy of exports",
    "search --in memory exports",
    "search --in sessions retry policy",
    "search --in windows retry",
    "search --worth -p myrepo -H 0",
    "steer -p myrepo",
    "sessions chain --session 7c19e2f4",
    "show 4f2a81c0",
    "show --about 4f2a81c0",
    "show --windows 4f2a81c0",
    "why src/parser.py:1-5",
    "failures list",
    "memory list",
    "memory history exports-policy",
    "memory sources",
    "task list --all",
    "task status",
    "task handoffs",
    "resume --task 'retry of exports'",
    "resume --next",
    "resume --note",
    "pack objects list",
    "finalize --status success --summary 'The export handles empty files'",
)

# The same of the tools of the MCP server; what they say of what they read is among it.
TELLING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("aicx_search", {"query": "retry policy of exports"}),
    ("aicx_steer", {"filters": {"project": "myrepo"}}),
    ("aicx_sessions", {}),
    ("aicx_rank", {"project": "myrepo", "hours": 0}),
    ("aicx_resume", {"task": "retry of exports"}),
    ("aicx_why", {"target": "src/parser.py:1-5"}),
    ("aicx_memory", {"query": "exports", "with_evidence": True}),
    ("aicx_read", {"ref": "4f2a81c0"}),
    ("aicx_read", {"ref": "exports-policy"}),
    ("aicx_read", {"ref": "Fix the export"}),
    ("aicx_read", {"ref": "session:claude:4f2a81c0#w0"}),
)


@pytest.fixture
def user(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """A repository with sessions, a record, a task, a pack and a session that was begun and is not stored."""
    user = Home(kept.folder)
    for name, value in {**user.environ, "TERM_SESSION_ID": "a-terminal"}.items():
        monkeypatch.setenv(name, value)

    def prepare() -> None:
        fill(user)
        monkeypatch.chdir(user.root / "src" / "orbit")
        for line in (
            "store",
            "memory put 'Exports need an authorisation check' --name exports-policy --kind policy --topic exports",
            "task start 'Fix the export of empty files' --next 'Reproduce it'",
            "finalize --status failure --summary 'Half of it'",
            "task note save",
            "pack task",
            "sessions fork --session 7c19e2f4",
        ):
            assert run(shlex.split(line)) == 0

    kept.again(prepare)
    monkeypatch.chdir(user.root / "src" / "orbit")
    capsys.readouterr()
    return user


@pytest.mark.parametrize("line", sample(PRINTING, 12, "printing"))
def test_every_reference_that_a_command_prints_is_opened_also_by_an_agent(
    line: str, user: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    said = ""
    for more in ((), ("--json",)):
        assert run([*shlex.split(line), *more]) == 0
        said += capsys.readouterr().out.replace('\\"', '"')
    found = sorted(set(REFERENCE.findall(said)))
    assert found
    for ref in found:
        assert run(["show", ref]) == 0, ref
        assert capsys.readouterr().out
        assert run(["show", ref, "--json"]) == 0, ref
        json.loads(capsys.readouterr().out)
    if not is_missing("mcp"):
        assert_read(user, said)


@pytest.mark.needs("mcp")
@pytest.mark.parametrize(("tool", "arguments"), sample(TELLING, 7, "telling"))
def test_an_agent_reads_every_reference_that_a_tool_prints(tool: str, arguments: dict[str, Any], user: Home) -> None:
    result = call(user.settings, tool, folder=Path.cwd(), structured=True, **arguments)
    assert not result.is_error
    assert_read(user, f"{json.dumps(result.structured_content)}\n{result.content[0].text}")


def assert_read(user: Home, said: str) -> None:
    """Every reference in ``said`` is read, and the answer begins with how strong the evidence is."""
    found = sorted(set(REFERENCE.findall(said)))
    assert found

    async def read(client: Any) -> None:
        for ref in found:
            result = await client.call_tool("aicx_read", {"ref": ref, "structured": True})
            assert not result.is_error, (ref, result.content)
            assert result.content[0].text.startswith("Evidence: "), ref
            assert result.structured_content["schema"].startswith("aicx."), ref

    ask(user.settings, read, folder=Path.cwd())


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("exports-policy", "aicx.memory-get/1"),
        ("fix-the-export", "aicx.task-show/1"),
        ("Fix the export", "aicx.task-show/1"),
        ("4f2a81c0", "aicx.show/1"),
    ],
)
def test_names_are_opened_like_references(
    name: str, schema: str, user: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == schema


def test_a_failure_is_opened_by_the_beginning_of_its_id(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["failures", "list", "--json"]) == 0
    failure = json.loads(capsys.readouterr().out)["items"][0]["id"].removeprefix("failure:")
    assert run(["show", failure[:6], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["failure"]["id"] == f"failure:{failure}"


def test_a_place_of_the_map_that_no_session_touched_is_shown_as_it_is(
    user: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", "map:src/retry.py:6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["lines"] == ["retry_5 = 5", "retry_6 = 6", "retry_7 = 7"]


@pytest.mark.parametrize("path", ["../outside.py", "src/none.py", "secret.png"])
def test_a_place_outside_the_repository_is_not_shown(path: str, user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (Path("..") / "outside.py", Path("secret.png")):
        name.write_text("outside\n")
    assert run(["show", f"map:{path}:1"]) == 3
    assert "outside\n" not in capsys.readouterr().out


def test_secrets_in_a_place_are_left_out(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "ghp_" + "Q7w8E9r0T1y2U3i4O5p6A7s8D9f0G1h2J3k4"
    Path("src/keys.py").write_text(f"token = '{secret}'\n")
    assert run(["show", "map:src/keys.py:1"]) == 0
    said = capsys.readouterr().out
    assert secret not in said
    assert "token = " in said


def test_what_nothing_knows_is_told_as_before(user: Home, capsys: pytest.CaptureFixture[str]) -> None:
    index = user.corpus / "index" / "sessions.sqlite"
    index.unlink()
    assert run(["show", "nothing-like-it"]) == 3
    assert "no chunk and no session is known by 'nothing-like-it'" in capsys.readouterr().err
    assert not index.exists()  # nothing was read for it that takes long
