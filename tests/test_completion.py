"""What the shell offers: projects, agents and sessions that are stored."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from inspect import cleandoc
from pathlib import Path

import pytest

from aicx.commands import COMMANDS
from aicx.options import OFFERS
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home
from tests.forked import Piped

PACKAGES = ("aicx", "indexer", "retrieval")


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    user = Home(tmp_path).used(monkeypatch)
    orbit = user.repository("orbit", "git@x.org:ada/orbit.git")
    user.claude(ClaudeLog(SESSION, orbit).prompt("Why does the lexer drop a token?", 0).title("Lexer loses a token"))
    user.codex(CodexLog(OTHER, user.repository("apiary", "git@x.org:ada/apiary.git")).prompt("honey", 60))
    user.store()
    return user


@pytest.mark.usefixtures("stored")
class TestOffered:
    def test_a_project_by_the_beginning_of_its_name(self) -> None:
        assert OFFERS["project"]("ada/o") == [("ada/orbit", "1 sessions")]

    def test_the_most_recently_active_project_comes_first(self) -> None:
        assert [name for name, _ in OFFERS["project"]("")] == ["ada/apiary", "ada/orbit"]

    def test_an_agent_that_has_sessions(self) -> None:
        assert [name for name, _ in OFFERS["agent"]("c")] == ["claude", "codex"]

    def test_a_session_with_its_title(self) -> None:
        assert OFFERS["session"](SESSION[:4]) == [(SESSION, "Lexer loses a token")]

    def test_nothing_for_what_no_session_begins_with(self) -> None:
        assert OFFERS["session"]("%") == []


def test_nothing_is_offered_where_nothing_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Home(tmp_path).used(monkeypatch)
    assert (OFFERS["project"](""), OFFERS["agent"](""), OFFERS["session"]("")) == ([], [], [])


def printed(environ: dict[str, str], **asked: str) -> str:
    """What `aicx` answers to a shell that asks so."""
    done = Piped([], {**environ, **asked}, stdin=subprocess.PIPE, stdout=subprocess.PIPE).to_end()
    return done.stdout.decode()


def test_a_shell_is_answered(stored: Home) -> None:
    asked = {"_AICX_COMPLETE": "complete_bash", "COMP_WORDS": "aicx search x --project ada/o", "COMP_CWORD": "4"}
    assert printed(stored.environ, **asked).split() == ["ada/orbit"]


GROUPS = [name for name, place in COMMANDS.items() if place.startswith("aicx.commands.groups:")]


@pytest.fixture(scope="module")
def loaded() -> dict[str, list[str]]:
    """The modules of ours that are imported to offer the commands of each group, in one process."""
    code = f"""
        import sys
        from click.shell_completion import ShellComplete
        from aicx.menu import tree
        before = set(sys.modules)
        for group in {GROUPS}:
            assert ShellComplete(tree(), {{}}, "aicx", "_AICX_COMPLETE").get_completions([group], "")
            print(group, *(name for name in set(sys.modules) - before if name.split(".")[0] in {PACKAGES}))
    """
    done = subprocess.run(
        [sys.executable, "-c", cleandoc(code)], capture_output=True, text=True, timeout=60, check=True
    )
    return {name: modules for name, *modules in map(str.split, done.stdout.splitlines())}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_is_completed_without_loading_its_commands(loaded: dict[str, list[str]], group: str) -> None:
    assert loaded[group] == []


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ("aicx sta", {"status"}),
        ("aicx dash", {"dashboard"}),
        ("aicx search --in m", {"memory", "map"}),
        ("aicx memory hol", {"hold"}),
        ("aicx memory decide ho", {"hold"}),
    ],
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_offered_new_names_and_former_ones(shell: str, asked: str, offered: set[str]) -> None:
    words = asked.split()
    how = {
        "_AICX_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": asked,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": asked,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    assert set(re.findall(r"[a-z]+", printed(dict(os.environ), **how).replace("_arguments", ""))) == offered
