"""Dates in a question limit what is answered, and a question of dates alone is a question too; then order by time."""

from __future__ import annotations

import pytest

from aicx.corpus.catalog.filters import parse_filters
from aicx.filters import Filters
from retrieval.decay import PROFILES
from tests.corpus.builders import SESSION, ClaudeLog, Home, when
from tests.engine.search_helpers import NOW, ask, keep

DAY = 86_400.0


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The same remark on four days of two months."""
    user = Home(tmp_path_factory.mktemp("diary"))
    for number, days in enumerate((0, 1, 30, 35)):
        session = f"{number:08x}-4e63-4b9f-8b4d-6a1b2c3d4e5f"
        user.claude(ClaudeLog(session).prompt(f"The gasket leaks, says note {number}", days * DAY + number))
    keep(user)
    return user


def filters(**named: str | None) -> Filters:
    return parse_filters(NOW, **named)


def days(report) -> list[str]:
    return [hit.sidecar.date for hit in report.hits]


def test_a_month_in_the_question_limits_the_answers(diary):
    assert sorted(days(ask(diary, "gasket in march 2026"))) == ["2026-03-01", "2026-03-02", "2026-03-31"]


def test_a_day_in_the_question_limits_the_answers(diary):
    assert days(ask(diary, "gasket 2026-03-02")) == ["2026-03-02"]


def test_since_and_before_leave_one_end_open(diary):
    assert sorted(days(ask(diary, "gasket since april 2026"))) == ["2026-04-05"]
    assert sorted(days(ask(diary, "gasket before 2026-03-02"))) == ["2026-03-01"]


def test_the_answer_says_which_days_were_meant(diary):
    (note,) = ask(diary, "gasket in march 2026").notes
    assert "2026-03-01 to 2026-03-31" in note


def test_a_date_alone_gives_everything_from_then_newest_first(diary):
    report = ask(diary, "march 2026")
    assert days(report) == ["2026-03-31", "2026-03-02", "2026-03-01"]
    assert report.oracle_status["rankers"] == ["date"]


def test_a_date_alone_shows_how_each_answer_begins(diary):
    assert [line.text for line in ask(diary, "2026-03-02").hits[0].lines] == ["The gasket leaks, says note 1"]


def test_a_date_alone_tells_each_session_once_by_what_was_said_last(tmp_path):
    user = Home(tmp_path)
    log = ClaudeLog(SESSION).prompt("The gasket leaks", 0).prompt("And the flange?", 86_400)
    log.answer("The flange is tight.", 86_405).call("Bash", 86_410, "toolu_1", command="date")
    user.claude(log.result("Mon Mar 2", 86_415, "toolu_1"))
    keep(user)
    (hit,) = ask(user, "march 2026").hits
    assert (hit.chunks, [line.text for line in hit.lines]) == (2, ["The flange is tight."])


def test_a_date_alone_can_be_sorted_and_grouped(diary):
    report = ask(diary, "march 2026", sort="oldest", group="session", limit=2)
    assert (days(report), report.matched) == (["2026-03-01", "2026-03-02"], 3)


def test_a_date_alone_heeds_the_other_filters(diary):
    assert days(ask(diary, "march 2026", filters=filters(agent="codex"))) == []
    excluded = "00000001-4e63-4b9f-8b4d-6a1b2c3d4e5f"
    assert days(ask(diary, "march 2026", filters=filters(exclude_session=excluded))) == ["2026-03-31", "2026-03-01"]


def test_a_date_given_as_a_filter_wins_over_one_in_the_question(diary):
    report = ask(diary, "gasket in march 2026", filters=filters(date="2026-04-05"))
    assert days(report) == ["2026-04-05"]


def test_a_quoted_date_is_looked_for_and_not_meant(diary):
    report = ask(diary, 'gasket "march 2026"')
    assert (report.hits, report.notes) == ([], [])


def test_lifting_dates_can_be_switched_off(diary):
    assert len(ask(diary, "gasket 2026-03-02", lift_dates=False).hits) == 4


def test_the_report_keeps_the_question_as_it_was_asked(diary):
    assert ask(diary, "gasket in march 2026").query.text == "gasket in march 2026"


# Order ----------------------------------------------------------------------------------------------------------------


def test_equal_answers_sorted_by_time(diary):
    newest = days(ask(diary, "gasket", sort="newest"))
    assert newest == ["2026-04-05", "2026-03-31", "2026-03-02", "2026-03-01"]
    assert days(ask(diary, "gasket", sort="oldest")) == newest[::-1]


def test_decay_prefers_the_new_and_removes_nothing(diary):
    report = ask(diary, "gasket", decay=PROFILES["strong"], now=when(36 * DAY))
    assert days(report) == ["2026-04-05", "2026-03-31", "2026-03-02", "2026-03-01"]
    assert [hit.decay_factor for hit in report.hits] == sorted((hit.decay_factor for hit in report.hits), reverse=True)


def test_without_decay_age_counts_for_nothing(diary):
    assert {hit.decay_factor for hit in ask(diary, "gasket").hits} == {1.0}


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_cuts_and_is_not_what_matched(diary, limit):
    report = ask(diary, "gasket", limit=limit)
    assert (len(report.hits), report.matched) == (limit, 4)
    assert [hit.rank for hit in report.hits] == list(range(1, limit + 1))
