"""Search answers once for all runs of one prompt, and counts what programs ran a little less."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.engine.search import SearchQuery, search
from aicx.filters import Filters
from tests.corpus.builders import OTHER, ClaudeLog, Home
from tests.engine.search_helpers import NOW, ask, keep

SDK = {"entrypoint": "sdk-cli", "promptSource": "sdk"}


@pytest.fixture
def home(home: Path, tmp_path: Path) -> Home:
    home = Home(tmp_path)
    for number in range(3):
        log = ClaudeLog(f"{number:08x}-3d52-4a8e-9a3c-5f0a1b2c3d4e")
        home.claude(log.prompt("Judge the queen's cell", 60 * number, **SDK).answer(f"The cell holds wax {number}", 1))
    home.claude(ClaudeLog(OTHER).prompt("Judge the queen's cell and its wax", 30).answer("The cell holds wax", 31))
    keep(home)
    return home


def test_runs_of_one_prompt_are_one_answer(home):
    hits = ask(home, "queen cell wax").hits
    assert sorted((hit.automated_why is not None, len(hit.runs)) for hit in hits) == [(False, 1), (True, 3)]


def test_each_run_is_an_answer_where_that_is_asked(home):
    hits = ask(home, "queen cell wax", filters=Filters(automated=True)).hits
    assert sorted(len(hit.runs) for hit in hits) == [1, 1, 1, 1]


def test_every_retriever_lists_the_same_runs(home):
    for mode in ("lexical", "scan"):
        assert len(ask(home, "queen cell wax", mode=mode, filters=Filters(automated=True)).hits) == 4


def test_what_a_program_ran_counts_softly(home):
    def is_first_automated(factor: float) -> bool:
        return (
            search(home.settings, SearchQuery("the cell holds wax 2", NOW, automated=factor)).hits[0].automated_why
            is not None
        )

    assert is_first_automated(1.0)
    assert not is_first_automated(0.1)


def test_the_title_of_an_answer_is_its_sessions(home):
    assert {hit.title for hit in ask(home, "queen cell wax").hits} >= {"Judge the queen's cell and its wax"}
