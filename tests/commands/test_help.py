"""Help that teaches: each command's is a sentence, two examples that run, and the five options that are used most."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

import pytest

from aicx.cli import run
from aicx.commands import FORMER, HIDDEN, INSTEAD
from tests.tree import commands, meant, options_in

# Examples are run by tests/test_examples.py, from docs/commands.md.
SHOWN = [name for name in commands() if name not in FORMER and name.split()[0] not in HIDDEN]
ASKING = [f"{command} {options}" for command, rows in INSTEAD.items() for options in rows]
GROUPS = sorted({name.rpartition(" ")[0] for name in SHOWN if " " in name})
_HELP = {"--help", "--help-all", "-h"}
_LISTED = re.compile(r"^  (?:-\w, )?(--[\w-]+)", re.MULTILINE)


# The first words of the commands, each with those that begin with it.
BY_WORD = {
    word: [name for name in (*SHOWN, *ASKING, *GROUPS) if name.split()[0] == word]
    for word in sorted({name.split()[0] for name in (*SHOWN, *ASKING)})
}


@pytest.fixture
def help_of(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    def help_of(name: str, option: str = "--help", columns: int = 80) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        assert run([*name.split(), option]) == 0
        return capsys.readouterr().out

    return help_of


@pytest.mark.parametrize("word", BY_WORD)
def test_a_help_is_one_sentence_two_examples_and_at_most_five_options_on_a_screen(
    word: str, help_of: Callable[..., str]
) -> None:
    for name in BY_WORD[word]:
        said = help_of(name)
        _, sentence, examples, *_ = re.split(r"\n\n+", said)
        assert re.fullmatch(r"[A-Z][^.]*(?:\.\S[^.]*)*\.", " ".join(sentence.split())), sentence
        assert len(re.findall(r"^  Example: ", examples, re.MULTILINE)) == 2, name
        assert len(said.splitlines()) <= 40, name
        if name not in GROUPS:
            assert 1 <= len(_LISTED.findall(said.partition("\nOptions:")[2].partition("\nInstead:")[0])) <= 5, name


@pytest.mark.parametrize("word", BY_WORD)
def test_the_whole_help_lists_all_options_and_its_examples_are_understood(
    word: str, help_of: Callable[..., str]
) -> None:
    for name in BY_WORD[word]:
        said = help_of(name, "--help-all", 300)
        if name not in GROUPS:
            command = meant(*name.split())[1]
            asking = {word for options in getattr(command, "instead", {}) for word in options.split()}
            own = {next(iter(re.findall(r"--[\w-]+", " ".join(one.opts))), "") for one in command.params}
            assert {one for one in own if one} - asking <= set(_LISTED.findall(said)), name
        for line in re.findall(r"^  Example: .*?\baicx (.*)", said, re.MULTILINE):
            words = shlex.split(re.sub(r"   .*| \| .*", "", line))
            _, command, rest = meant(*words)
            given = rest[: rest.index("--") if "--" in rest else None]
            options = {one.partition("=")[0] for one in given if one[:2] == "--"}
            assert options <= options_in(command) | _HELP, line
