"""A commit that a question names: sessions that may have made it are raised, and nothing is taken away."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aicx.engine.history import FreshnessLook
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.search import SearchReport
from aicx.filters import Filters
from retrieval.params import DEFAULT_PARAMS
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, when
from tests.engine.search_helpers import ask, ignore
from tests.kept import Kept
from tests.why.builders import DAY, HOUR, Story

SUBJECT = "Retry the upload of a parcel"
LAMP = "3ea04f91-6085-4db1-8d6f-8c3d4e5f6071"


@pytest.fixture
def story(kept: Kept) -> Story:
    """Three sessions of the repository, and one of another: the one that made the commit says the least about it."""
    user = Home(kept.folder)

    def fill() -> None:
        story = Story(user)
        maker = story.log(SESSION).prompt("The parcel is lost when the line drops", 0).answer("I look into it.", 5)
        story.edited(maker, "src/upload.py", 60)
        planner = story.log(OTHER).prompt("Plan: retry the upload of a parcel, retry, upload, parcel", -9 * DAY)
        planner.answer("Retry the upload of a parcel three times.", -9 * DAY + 5)
        beside = story.log(THIRD).prompt("Write of the parcel in the manual", 120).answer("Done.", 130)
        lamp = ClaudeLog(LAMP, story.user.repository("lamp", "git@example.org:ada/lamp.git"))
        lamp.prompt("Retry the upload of a parcel of lamps", 30).answer("Retry it.", 40)
        story.repository.commit("src/upload.py", "x\n", f"{SUBJECT} (#7)", when(HOUR))
        story.keep(maker, planner, beside, lamp)
        refresh_lexical(story.user.settings, ignore)

    kept.again(fill)
    return Story(user)


def sessions(report: SearchReport) -> list[str]:
    return [hit.sidecar.session_id for hit in report.hits]


def here(story: Story, text: str = SUBJECT, **query: Any) -> SearchReport:
    return ask(story.user, text, **{"group": "session", "place": story.repository.folder, **query})


def test_the_session_that_made_the_commit_comes_first_where_git_is_at_hand(story: Story) -> None:
    assert sessions(ask(story.user, SUBJECT, group="session"))[0] != SESSION
    report = here(story)
    assert sessions(report)[0] == SESSION
    made = {hit.sidecar.session_id: hit.history for hit in report.hits if hit.history}
    assert {session: (one.touched, one.files) for session, one in made.items()} == {SESSION: (1, 1), THIRD: (0, 1)}
    assert made[SESSION].worth > made[THIRD].worth > 0


@pytest.mark.parametrize(
    "text", ["retry upload of a parcel", "#7 upload parcel", "parcel in src/upload.py", "HASH parcel"]
)
def test_a_near_subject_a_number_a_hash_and_a_file_raise_it(story: Story, text: str) -> None:
    text = text.replace("HASH", story.repository.git("rev-parse", "HEAD")[:10])
    [hit] = [hit for hit in here(story, text).hits if hit.sidecar.session_id == SESSION]
    assert hit.history_factor > 1


@pytest.mark.parametrize("group", ["session", "chunk"])
def test_nothing_is_taken_away(story: Story, group: str) -> None:
    nowhere = ask(story.user, SUBJECT, group=group)
    assert set(sessions(nowhere)) <= set(sessions(here(story, group=group)))


def test_a_session_of_another_repository_is_not_raised(story: Story) -> None:
    [lamp] = [hit for hit in here(story).hits if hit.sidecar.session_id == LAMP]
    assert (lamp.own, lamp.history, lamp.history_factor) == (1.0, None, 1.0)


def test_the_answer_says_what_of_the_repository_was_named(story: Story) -> None:
    status = here(story).oracle_status
    commit = story.repository.git("rev-parse", "HEAD")
    assert status["place"] == "ada/orbit"
    assert [(one["by"], one["commit"]) for one in status["history"]] == [("subject", commit)]
    nowhere = ask(story.user, SUBJECT).oracle_status
    assert (nowhere["place"], nowhere["history"]) == (None, [])


def test_each_rule_can_be_switched_off(story: Story) -> None:
    off = replace(DEFAULT_PARAMS, history=0.0, own_repository=0.0)
    assert here(story, rules=off).hits == ask(story.user, SUBJECT, group="session").hits


def test_a_candidate_of_the_time_is_added_where_others_have_more_of_the_words(story: Story) -> None:
    few = replace(DEFAULT_PARAMS, pool=1)
    assert SESSION not in sessions(ask(story.user, SUBJECT, group="session", limit=1, rules=few))
    assert sessions(here(story, limit=1, rules=few))[0] in (SESSION, THIRD)


def test_filters_hold_for_what_is_added(story: Story) -> None:
    report = here(story, filters=Filters(exclude_session=(SESSION,)))
    assert set(sessions(report)) == {OTHER, THIRD, LAMP}


def test_a_plain_question_starts_no_git(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("git was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    report = here(story, "why is the parcel lost when the line drops?")
    assert report.oracle_status["history"] == []
    assert {hit.own for hit in report.hits} == {1.1, 1.0}


def test_a_git_that_takes_too_long_names_nothing_and_is_reported(
    story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin/git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec /bin/sleep 30\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(slow.parent))
    began = time.monotonic()
    named, notes = FreshnessLook(story.repository.folder, SUBJECT, when(-DAY), (), seconds=0.2).found()
    assert named == []
    assert "gave no answer within 0.2 s" in notes[0]
    assert time.monotonic() - began < 5


def test_without_git_the_search_answers_as_from_nowhere(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert set(sessions(here(story))) == set(sessions(ask(story.user, SUBJECT, group="session")))


def test_the_repository_is_not_written_to(story: Story) -> None:
    def written() -> dict[str, int]:
        return {str(path): path.stat().st_mtime_ns for path in story.repository.folder.rglob("*")}

    before = written()
    here(story)
    assert written() == before


def test_hostile_messages_and_names_raise_nobody(story: Story) -> None:
    story.repository.commit("-x\n\x01.py", "x\n", "=%H %s \x1b[31m -- --output=/tmp/x", when(2 * HOUR))
    story.repository.git("branch", "--", "ada/$(touch-x)")
    for text in ("=%H %s -- --output=/tmp/x", "ada/$(touch-x) parcel", "parcel -x.py \x01", "parcel \udcff #999999999"):
        assert all(hit.history_factor >= 1 for hit in here(story, text).hits)


def test_a_commit_of_another_year_raises_nobody(story: Story) -> None:
    story.repository.commit("a.py", "x\n", "Weigh the parcel of another year", when(400 * DAY))
    report = here(story, "weigh the parcel of another year")
    assert [one["by"] for one in report.oracle_status["history"]] == ["subject"]
    assert {hit.history_factor for hit in report.hits} == {1.0}


def test_a_commit_that_no_log_has_a_word_of_leads_to_why(story: Story) -> None:
    name = story.repository.git("rev-parse", "HEAD")[:10]
    report = here(story, name)
    assert report.hits == []
    assert f"{name} is in this repository: `aicx why {name}` finds the session" in report.notes
    assert not any("aicx why" in note for note in here(story, f"{name} parcel").notes)


def test_a_wider_gap_counts_less(story: Story) -> None:
    later = story.log(LAMP[:-1] + "9").prompt("Retry the upload of the parcel", -2 * DAY).answer("Yes.", -2 * DAY + 5)
    story.keep(later)
    refresh_lexical(story.user.settings, ignore)
    factors = {hit.sidecar.session_id: hit.history_factor for hit in here(story).hits}
    assert factors[SESSION] > factors[THIRD] > factors[LAMP[:-1] + "9"] > factors[OTHER] == 1.0
