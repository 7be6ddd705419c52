"""`aicx` alone: one screen with the five commands, what is stored, and what to try next in this folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home
from tests.tree import meant


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    user = Home(tmp_path)
    for name, value in user.environ.items():
        monkeypatch.setenv(name, value)
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    (Path(orbit) / "lexer.py").touch()
    log = ClaudeLog(SESSION, orbit).call("Edit", 1, "e", file_path=f"{orbit}/lexer.py", new_string="x", old_string="y")
    log.call("Edit", 2, "f", file_path=f"{orbit}/gone.py", new_string="x", old_string="y")
    user.claude(log.prompt("Why does the lexer drop a token?", 0).title("A lexer that loses tokens " + "again " * 30))
    return user


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    assert run(list(words)) == 0
    return capsys.readouterr().out.splitlines()


def test_where_nothing_is_stored_the_first_thing_is_to_store(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys)
    assert "Nothing is stored yet." in lines
    assert next(line for line in lines[lines.index("Try next:") :] if line.startswith("  ")).startswith("  aicx store")


def test_in_a_stored_repository_it_says_what_is_there_and_what_to_try(
    user: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user.store()
    monkeypatch.chdir(user.work / "orbit")
    lines = shown(capsys)
    assert any(line.startswith("Stored: 1 session of 1 project, the last message ") for line in lines)
    assert any(line.startswith("Here, in ada/orbit: 1 session, the last “A lexer that loses tokens") for line in lines)
    assert any(line.startswith(f"  aicx show {SESSION[:8]}") for line in lines)
    assert [line for line in lines if "behind this file" in line] == [
        "  aicx why lexer.py   the sessions behind this file"
    ]


def test_the_session_that_it_names_is_shown_where_another_ones_id_begins_alike(
    user: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user.claude(ClaudeLog(f"{SESSION[:8]}-ffff{SESSION[13:]}", str(user.work / "orbit")).prompt("And the parser?", 60))
    user.store()
    monkeypatch.chdir(user.work / "orbit")
    [named] = [re.split(r"\s{2,}", line.strip())[0] for line in shown(capsys) if line.startswith("  aicx show ")]
    assert run(named.split()[1:]) == 0
    assert "And the parser?" in capsys.readouterr().out


def test_sessions_that_a_program_began_are_counted_apart(
    user: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = ClaudeLog(OTHER, str(user.work / "orbit")).prompt("Summarise the day", 60, entrypoint="sdk-cli")
    user.claude(log)
    user.store()
    monkeypatch.chdir(user.work / "orbit")
    lines = shown(capsys)
    assert any(line.startswith("Stored: 2 sessions of 1 project") for line in lines)
    assert "Agents and programs began 1 of them." in lines
    assert any(line.startswith("Here, in ada/orbit: 1 session,") for line in lines)


@pytest.mark.parametrize("where", ["nothing stored", "elsewhere", "here"])
def test_it_is_one_screen_of_commands_that_there_are(
    where: str, user: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if where != "nothing stored":
        user.store()
    monkeypatch.chdir(user.work / "orbit" if where == "here" else user.root)
    lines = shown(capsys)
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    named = [re.split(r"\s{2,}", line.strip())[0].split()[1:] for line in lines if line.startswith("  aicx ")]
    assert len(named) >= 7
    for words in named:
        meant(*words)


def test_no_colour_may_be_asked_for_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "--no-color") == shown(capsys)
