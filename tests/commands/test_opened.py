"""`aicx show` opens whatever reference a command prints: in JSON, in text, by name."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from aicx.cli import run
from tests.corpus.builders import Home
from tests.golden.story import fill
from tests.kept import Kept

pytestmark = pytest.mark.needs("git")

REFERENCE = re.compile(
    r"\b(?:mem|work|failure|sha256|session|chunk|commit|map|live|file|claude|codex):[^\s\"'`,;()\[\]|]+[^\s\"'`,;()\[\]|.:]"
    r"|\b[0-9a-f]{8}:\d{3}\b"
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


@pytest.fixture
def user(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """A repository with sessions, a record, a task, a pack and a session that was begun and is not stored."""
    user = Home(kept.empty())
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


@pytest.mark.parametrize("line", PRINTING)
def test_every_reference_that_a_command_prints_is_opened(
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
