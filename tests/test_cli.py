"""What the command line says to words that it does not know."""

from __future__ import annotations

import json

import pytest

from aicx.cli import _CALLED_ELSEWHERE as CALLED_ELSEWHERE
from aicx.cli import COMMANDS, run


@pytest.mark.parametrize(
    ("typed", "meant"), [("serach", "search"), ("dashbord", "dashboard"), ("status", "state"), ("Grep", "search")]
)
def test_unknown_command_names_the_one_that_was_meant(
    typed: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([typed, "words"]) == 2
    assert f"Did you mean '{meant}'?\n next: aicx {meant} --help" in capsys.readouterr().err


def test_unknown_command_like_no_other_leads_to_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["xyzzy", "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert (said["error"], said["hint"]) == ("There is no command 'xyzzy'.", "aicx --help")


def test_words_of_other_tools_lead_to_commands_there_are() -> None:
    assert set(CALLED_ELSEWHERE.values()) <= set(COMMANDS)
    assert not set(CALLED_ELSEWHERE) & set(COMMANDS)


def test_unknown_option_leads_to_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["steer", "--porject", "x"]) == 2
    said = capsys.readouterr().err
    assert "Did you mean '--project'?" in said
    assert said.endswith(" next: aicx steer --help\n")
