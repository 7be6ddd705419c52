"""What commands say where a store found no logs: there is a catalogue, and nothing in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.cli import run


@pytest.fixture(autouse=True)
def stored_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["store"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    "words", ["search lexer", "sessions", "sessions search lexer", "steer", "refs", "search lexer --mode lexical"]
)
def test_a_command_that_finds_nothing_leads_to_store(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words.split()) == 0
    assert "Nothing is stored yet. Next: aicx store\n" in capsys.readouterr().err


def test_an_unknown_session_leads_to_store(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", "019bdb7e"]) == 3
    assert "nothing is stored yet\n next: aicx store\n" in capsys.readouterr().err


@pytest.mark.parametrize("ref", ["failure:0946962b", "sha256:2b0010a62a7788"])
def test_a_reference_of_another_command_leads_to_the_one_that_opens_it(
    ref: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["sessions", "windows", ref]) == 3
    assert f"next: aicx show {ref}\n" in capsys.readouterr().err


def test_a_time_that_is_not_known_has_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["state"]) == 0
    printed = capsys.readouterr().out
    assert "first message  none\n" in printed
    assert "None" not in printed
