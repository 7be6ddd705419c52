"""Help that teaches: each command's is a sentence, two examples that run, and the five options that are used most."""

from __future__ import annotations

import re
import shlex

import pytest

from aicx.cli import run
from aicx.commands import FORMER, HIDDEN, INSTEAD
from tests.tree import commands, meant, options_in

# Examples are run by tests/test_examples.py, from docs/commands.md.
SHOWN = [name for name in commands() if name not in FORMER and name.split()[0] not in HIDDEN]
ASKING = [f"{command} {options}" for command, rows in INSTEAD.items() for options in rows]
GROUPS = sorted({name.rpartition(" ")[0] for name in SHOWN if " " in name})
_HELP = {"--help", "--help-all", "-h"}


def help_of(name: str, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch, *, whole: bool = False) -> str:
    patch.setenv("COLUMNS", "80")
    assert run([*name.split(), "--help-all" if whole else "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", [*SHOWN, *ASKING, *GROUPS])
def test_a_help_begins_with_one_sentence_and_two_examples_on_a_screen(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = help_of(name, capsys, monkeypatch)
    _, sentence, examples, *_ = re.split(r"\n\n+", said)
    assert re.fullmatch(r"[A-Z][^.]*(?:\.\S[^.]*)*\.", " ".join(sentence.split())), sentence
    assert len(re.findall(r"^  Example: ", examples, re.MULTILINE)) == 2
    assert len(said.splitlines()) <= 40


@pytest.mark.parametrize("name", [*SHOWN, *ASKING])
def test_a_help_lists_five_options_at_most_and_the_whole_help_lists_all(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = meant(*name.split())[1]
    listed = re.compile(r"^  (?:-\w, )?(--[\w-]+)", re.MULTILINE)
    few = help_of(name, capsys, monkeypatch).partition("\nOptions:")[2].partition("\nInstead:")[0]
    assert 1 <= len(listed.findall(few)) <= 5
    every = set(listed.findall(help_of(name, capsys, monkeypatch, whole=True)))
    asking = {word for options in getattr(command, "instead", {}) for word in options.split()}
    own = {
        next(iter(re.findall(r"--[\w-]+", " ".join(one.opts))), "") for one in command.params if one.opts[0][0] == "-"
    }
    assert own - asking <= every


@pytest.mark.parametrize("name", [*SHOWN, *ASKING, *GROUPS])
def test_every_example_of_a_help_is_a_command_line_that_is_understood(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert run([*name.split(), "--help-all"]) == 0
    for line in re.findall(r"^  Example: .*?\baicx (.*)", capsys.readouterr().out, re.MULTILINE):
        words = shlex.split(re.sub(r"   .*| \| .*", "", line))
        _, command, rest = meant(*words)
        given = {
            word.partition("=")[0] for word in rest[: rest.index("--") if "--" in rest else None] if word[:2] == "--"
        }
        assert given <= options_in(command) | _HELP, line
