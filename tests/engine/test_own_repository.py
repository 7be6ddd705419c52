"""The repository that a question is asked in counts a little more, at every door, and softly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import aicx
from aicx.cli import run
from aicx.engine.lexical_index import refresh_lexical
from aicx.resume.run import ResumeQuery, resume
from retrieval.params import DEFAULT_PARAMS
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, when
from tests.engine.search_helpers import ask, found, ignore
from tests.engine.test_history import SUBJECT, Story, here, sessions, story
from tests.why.builders import DAY

pytestmark = pytest.mark.slow

__all__ = ["story"]


@pytest.fixture
def twins(story: Story, monkeypatch: pytest.MonkeyPatch) -> Story:
    """The same said in two repositories; where both are as good, the one of a lower id is first."""
    lamp = ClaudeLog("00000000-1c8d-4e7f-8e63-4b9f8b4d6a1b", str(story.user.work / "lamp"))
    lamp.prompt("The valve of the boiler leaks", 0).answer("It is the gasket of the valve.", 5)
    own = story.log("11111111-1c8d-4e7f-8e63-4b9f8b4d6a1b").prompt("The valve of the boiler leaks", 0)
    own.answer("It is the gasket of the valve.", 5)
    story.keep(lamp, own)
    refresh_lexical(story.user.settings, ignore)
    story.user.used(monkeypatch)
    return story


def firsts(ids: list[str]) -> list[str]:
    return [name.split(":")[1][:8] for name in ids[:2]]


def test_of_two_that_are_as_good_the_own_comes_first(twins: Story) -> None:
    place = twins.repository.folder
    assert firsts(found(twins.user, "valve gasket")) == ["00000000", "11111111"]
    assert firsts(found(twins.user, "valve gasket", place=place)) == ["11111111", "00000000"]
    off = replace(DEFAULT_PARAMS, own_repository=0.0)
    assert firsts(found(twins.user, "valve gasket", place=place, rules=off)) == ["00000000", "11111111"]


def test_what_fits_better_stays_first(twins: Story) -> None:
    better = ClaudeLog("22222222-1c8d-4e7f-8e63-4b9f8b4d6a1b", str(twins.user.work / "lamp"))
    twins.keep(better.prompt("The valve, the valve: a gasket, gasket, gasket of the valve", 0).answer("Gasket.", 5))
    refresh_lexical(twins.user.settings, ignore)
    assert firsts(found(twins.user, "valve gasket", place=twins.repository.folder))[0] == "22222222"


def test_the_command_line_stands_in_the_current_folder(
    twins: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(twins.repository.folder)
    for arguments, first in (
        (["search", "valve gasket"], "11111111"),
        (["search", "valve gasket", "--everywhere"], "00000000"),
        (["search", "valve gasket", "--repo", str(twins.user.work / "lamp")], "00000000"),
        (["steer", "valve", "gasket"], "11111111"),
        (["steer", "valve", "gasket", "--everywhere"], "00000000"),
    ):
        assert run([*arguments, "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert firsts([item["id"] for item in answer["items"]])[0] == first, arguments


@pytest.mark.parametrize("arguments", [["search", SUBJECT, "-g", "session"], ["steer", *SUBJECT.split()]])
def test_explain_says_what_the_repository_and_its_history_were_worth(
    twins: Story, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.chdir(twins.repository.folder)
    assert run([*arguments, "--explain", "-n", "1"]) == 0
    printed = capsys.readouterr().out
    commit = twins.repository.git("rev-parse", "--short=10", "HEAD")
    assert "this repository x1.10" in printed
    assert f"commit {commit}, named by subject, x" in printed
    assert "touched 1 of 1" in printed


@pytest.mark.parametrize("arguments", [["--everywhere", "--repo", "."], ["--repo", "absent"]])
def test_a_place_that_is_none_is_refused(
    twins: Story, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["search", "valve", *arguments]) == 2
    assert "--repo" in capsys.readouterr().err


def test_a_folder_that_is_gone_is_no_place(twins: Story, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(["search", "valve"]) == 0


def test_python_stands_where_it_is_told(twins: Story) -> None:
    with aicx.open(twins.user.corpus) as corpus:
        assert firsts([item.id for item in corpus.search("valve gasket").items])[0] == "00000000"
        own = corpus.search("valve gasket", repo=twins.repository.folder)
        assert firsts([item.id for item in own.items])[0] == "11111111"
        assert own.oracle_status.place == "ada/orbit"
        assert (
            firsts([item["id"] for item in corpus.steer("valve gasket", repo=twins.repository.folder).items])[0]
            == "11111111"
        )


def test_resume_goes_on_from_the_session_of_the_commit_that_the_task_names(story: Story) -> None:
    asked = ResumeQuery(when(DAY), SUBJECT, story.repository.folder)
    report = resume(story.user.settings, asked)
    considered = {item.ref: item for item in report.considered if item.kind == "chunk"}
    raised = {ref for ref, item in considered.items() if "near_commit" in item.reasons}
    assert f"chunk:claude:{SESSION}:001" in raised
    assert f"chunk:claude:{OTHER}:001" not in raised
    # What fits the task by itself is not left out for what the commit raised.
    assert considered[f"chunk:claude:{OTHER}:001"].left_out is None
    assert [one["by"] for one in report.search["history"]] == ["subject"]


def test_a_question_that_is_only_a_date_has_no_history(story: Story) -> None:
    assert sessions(here(story, "march 2026", group="chunk")) != []
    assert ask(story.user, "march 2026", place=story.repository.folder).oracle_status["history"] == []
