"""The comparison of speed with other tools: what is measured, what is named where it is not, and the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from aicx.errors import AicxError
from benchmarks.peers import PEERS
from benchmarks.peers_speed import Figures, compare, ours, questions_of, table, tools
from tests.corpus.builders import OTHER, ClaudeLog, Home

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.claude(ClaudeLog().prompt("Why does the valve of the greenhouse leak overnight?", 0).answer("Its seal.", 1))
    home.claude(ClaudeLog(OTHER).prompt("Count the seedlings in every tray of the nursery", 9).answer("Sixty.", 10))
    return home


def test_aicx_is_measured_from_the_logs_to_an_answer(home: Home) -> None:
    found, failed = compare(home.settings.user_home, {"aicx": ours}, 1)
    assert not failed
    assert {"keep s", "keep, CPU s", "again s", "cold ms", "warm ms", "peak MB"} == found["aicx"][0].keys()


def test_a_tool_that_fails_is_named_and_ends_nothing(home: Home) -> None:
    def broken(*_: object) -> Figures:
        raise AicxError("it has no index")

    asked: list[Sequence[str]] = []

    def steady(_: Path, __: Path, ___: Path, questions: Sequence[str]) -> Figures:
        asked.append(questions)
        return {"keep s": 2.0}

    found, failed = compare(home.settings.user_home, {"broken": broken, "steady": steady}, 2)
    assert failed == ["broken: it has no index"] * 2
    assert found["steady"] == [{"keep s": 2.0}] * 2
    assert asked[0] == asked[1] != []


def test_a_peer_that_is_not_installed_is_told_with_the_next_step(tmp_path: Path) -> None:
    found, left = tools([PEERS["qmd"]], tmp_path, fetch=False)
    assert list(found) == ["aicx"]
    assert left == ["qmd: qmd is not installed (next: aicx bench peers install qmd)"]


def test_questions_are_words_of_what_is_stored(home: Home) -> None:
    home.store()
    [first, *_] = questions_of(home.corpus)
    said = "why does the valve of greenhouse leak overnight its seal count seedlings in every tray nursery sixty"
    assert len(first.split()) == 4
    assert set(first.split()) <= set(said.split())


def test_times_are_multiples_of_the_first_tools() -> None:
    printed = table({"aicx": [{"keep s": 2.0}, {"keep s": 4.0}], "other": [{"keep s": 6.0}]})
    assert "3.00" in printed
    assert "6.00 (2.00x)" in printed
