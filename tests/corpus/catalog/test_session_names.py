"""One meaning of a session's id, and the same failures for every command that needs one session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.corpus.catalog.names import find_session
from aicx.errors import NotFound, UsageError
from tests.corpus.builders import SESSION, ClaudeLog, CodexLog, Home

TWIN = SESSION[:-1] + "f"
KNOWN = [("claude", SESSION), ("claude", TWIN), ("codex", SESSION), ("codex", "ab")]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (TWIN, ("claude", TWIN)),
        ("ab", ("codex", "ab")),
        ("a", ("codex", "ab")),
        (f"codex:{SESSION[:4]}", ("codex", SESSION)),
        (f"claude:{SESSION}", ("claude", SESSION)),
    ],
)
def test_an_id_or_its_beginning_names_one_session(wanted, found):
    assert find_session(wanted, KNOWN) == found


@pytest.mark.parametrize("wanted", [SESSION, SESSION[:8], f"claude:{SESSION[:8]}"])
def test_an_ambiguous_reference_names_all_that_fit(wanted):
    with pytest.raises(UsageError) as error:
        find_session(wanted, KNOWN)
    assert f"claude:{SESSION}" in error.value.hint


def test_an_unknown_id_is_answered_with_the_nearest():
    with pytest.raises(NotFound) as error:
        find_session(SESSION[:-2] + "xx", KNOWN)
    assert SESSION in error.value.hint


@pytest.mark.parametrize("wanted", ["", "claude:"])
def test_an_empty_id_is_refused(wanted):
    with pytest.raises(UsageError, match="an empty session id"):
        find_session(wanted, KNOWN)


@pytest.fixture
def user(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    user = Home(tmp_path).used(monkeypatch)
    user.claude(ClaudeLog(SESSION).prompt("Fix the lexer", 0))
    user.codex(CodexLog(TWIN).prompt("Fix the parser", 0))
    assert run(["store"]) == 0
    capsys.readouterr()
    return user


COMMANDS = (["show"], ["forget", "--session"], ["extract", "--session"])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(("name", "code", "kind"), [(SESSION[:8], 2, "UsageError"), ("zzz", 3, "NotFound")])
def test_every_command_fails_alike(user, capsys, command, name, code, kind):
    assert run([*command, name, "--json"]) == code
    error = json.loads(capsys.readouterr().out)
    assert error["kind"] == kind
    if code == 2:
        assert f"claude:{SESSION}, codex:{TWIN}" in error["hint"]
