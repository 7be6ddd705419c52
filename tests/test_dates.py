"""Dates in a question: which are taken out, which days they mean, and what is left alone."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.dates import Dated, lift_dates

JANUARY = ("2026-01-01", "2026-01-31")


@pytest.mark.parametrize(
    ("text", "left", "days"),
    [
        ("retry policy in january 2026", "retry policy", JANUARY),
        ("retry policy January, 2026", "retry policy", JANUARY),
        ("2026 january retry", "retry", JANUARY),
        ("retry in Jan. 2026", "retry", JANUARY),
        ("retry 2026-01", "retry", JANUARY),
        ("sept 2026", "", ("2026-09-01", "2026-09-30")),
        ("february 2024", "", ("2024-02-01", "2024-02-29")),
        ("what broke on 2026-01-15?", "what broke ?", ("2026-01-15", "2026-01-15")),
        ("deploy on January 15th, 2026", "deploy", ("2026-01-15", "2026-01-15")),
        ("deploy on the 3rd of May 2026", "deploy on the", ("2026-05-03", "2026-05-03")),
        ("15 january 2026 deploy", "deploy", ("2026-01-15", "2026-01-15")),
    ],
)
def test_a_date_with_its_year_is_lifted(text, left, days):
    lifted = lift_dates(text)
    assert (lifted.text, lifted.days) == (left, days)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("since january 2026", ("2026-01-01", None)),
        ("after january 2026", ("2026-02-01", None)),
        ("since 2026-01-15", ("2026-01-15", None)),
        ("until january 2026", (None, "2026-01-31")),
        ("till 2026-01-15", (None, "2026-01-15")),
        ("before january 2026", (None, "2025-12-31")),
        ("before 2026-03-01", (None, "2026-02-28")),
        ("since january 2026 until march 2026", ("2026-01-01", "2026-03-31")),
        ("since january 2026 before march 2026", ("2026-01-01", "2026-02-28")),
        ("between january 2026 and march 2026", ("2026-01-01", "2026-03-31")),
        ("from march 2026 to january 2026", ("2026-01-01", "2026-03-31")),
        ("january 2026 or 2026-04-07", ("2026-01-01", "2026-04-07")),
    ],
)
def test_words_before_dates_open_or_span_a_range(text, days):
    assert lift_dates(text).days == days


def test_the_word_before_a_date_goes_with_it():
    assert lift_dates("retries between january 2026 and march 2026").text == "retries and"


@pytest.mark.parametrize(
    "text",
    [
        "may the march of progress go on",
        "in march",
        "march 15",
        "on the 3rd",
        "2026",
        "in 2026",
        "version 2026-13",
        "2026-02-30",
        "1899-01-01",
        'said "in january 2026" twice',
        "notes-2026-01-15.md",
        "2026-01-15.log",
        "logs/2026-01-15",
        "2026-01-15/app.log",
        "2026-01-15T10:00:00",
        "ticket #2026-01",
        "v2026-01.2",
        "build-2026-01-15-3",
    ],
)
def test_what_is_no_date_is_left_alone(text):
    lifted = lift_dates(text)
    assert (lifted.text, lifted.days) == (text, None)


def test_a_quoted_phrase_stays_when_a_date_beside_it_goes():
    lifted = lift_dates('"january 2026" in february 2026')
    assert (lifted.text, lifted.days) == ('"january 2026"', ("2026-02-01", "2026-02-28"))


def test_a_quote_that_never_ends_hides_no_date():
    assert lift_dates('"broken in january 2026').days == JANUARY


@pytest.mark.parametrize("text", ["\u017fept 2026", "apr\u0131l 2026"])
def test_letters_that_only_look_alike_name_no_month(text):
    assert lift_dates(text) == Dated(text, None)


def test_digits_of_full_width_are_read_as_digits():
    assert lift_dates("20\uff12\uff16-01-15") == Dated("", ("2026-01-15", "2026-01-15"))


@given(st.text(alphabet=st.characters(exclude_characters="0123456789", exclude_categories=["Nd"]), max_size=200))
def test_text_without_digits_is_returned_unchanged(text):
    lifted = lift_dates(text)
    assert (lifted.text, lifted.days) == (text, None)


@given(st.text(max_size=60), st.dates(), st.sampled_from(["in", "since", "after", "until", "before", "", "x"]))
def test_words_around_a_date_stay_and_keep_their_order(text, day, lead):
    question = f"{text} {lead} {day.isoformat()} {text}"
    lifted = lift_dates(question)
    if lifted.days is None:
        assert lifted.text == question
    else:
        left = iter(question)
        assert all(character in left for character in lifted.text if not character.isspace())
        assert all(end is None or date.fromisoformat(end) for end in lifted.days)


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_a_full_date_is_its_own_day(day):
    assert lift_dates(f"deploy {day.isoformat()}").days == (day.isoformat(), day.isoformat())


def test_a_hundred_kilobytes_of_quotes_and_dates_take_no_noticeable_time():
    begin = time.process_time()
    lifted = lift_dates('"a" 2026-01-01 ' * 7000)
    assert time.process_time() - begin < 4
    assert lifted == Dated(" ".join(['"a"'] * 7000), ("2026-01-01", "2026-01-01"))


TODAY = date(2026, 3, 18)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "left", "days"),
    [
        ("what broke last week", "what broke", ("2026-03-09", "2026-03-15")),
        ("what broke this week", "what broke", ("2026-03-16", "2026-03-22")),
        ("deploy yesterday", "deploy", ("2026-03-17", "2026-03-17")),
        ("deploy the day before yesterday", "deploy", ("2026-03-16", "2026-03-16")),
        ("deploy since yesterday", "deploy", ("2026-03-17", None)),
        ("deploy 3 days ago", "deploy", ("2026-03-15", "2026-03-15")),
        ("deploy in the last two weeks", "deploy", ("2026-03-04", "2026-03-18")),
        ("deploy in the past week", "deploy", ("2026-03-11", "2026-03-18")),
        ("deploy last month", "deploy", ("2026-02-01", "2026-02-28")),
        ("deploy a year ago", "deploy", ("2025-01-01", "2025-12-31")),
        ("retries in March", "retries", ("2026-03-01", "2026-03-31")),
        ("retries in april", "retries", ("2025-04-01", "2025-04-30")),
        ("deploy on monday", "deploy", ("2026-03-16", "2026-03-16")),
        ("deploy last wednesday", "deploy", ("2026-03-11", "2026-03-11")),
        ("deploy on march 3rd", "deploy", ("2026-03-03", "2026-03-03")),
        ("deploy in may 2026", "deploy", ("2026-05-01", "2026-05-31")),
    ],
)
def test_a_time_said_from_today_is_lifted(text, left, days):
    lifted = lift_dates(text, TODAY)
    assert (lifted.text, lifted.days) == (left, days)


@pytest.mark.parametrize(
    "text",
    [
        "march on, it may fail",
        "today's parser",
        '"last week" as a filter',
        "src/yesterday.py",
        "the last test of the week",
        "monday.com",
        "release 0.5 notes",
    ],
)
def test_words_that_are_no_time_stay(text):
    assert lift_dates(text, TODAY, lambda version: TODAY) == Dated(text, None)


def test_without_today_only_whole_dates_are_lifted():
    assert lift_dates("deploy last week").days is None


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("cache before the release of 0.5", (None, "2026-03-01")),
        ("cache since release 0.5", ("2026-03-01", None)),
        ("cache after v0.5 was released", ("2026-03-01", None)),
        ("cache until the 0.5 release", (None, "2026-03-01")),
    ],
)
def test_a_release_is_the_day_that_it_came_out(text, days):
    lifted = lift_dates(text, TODAY, lambda version: date(2026, 3, 1) if version == "0.5" else None)
    assert (lifted.text, lifted.days) == ("cache", days)


def test_an_unknown_release_is_named_and_stays():
    text = "cache before the release of 0.7"
    assert lift_dates(text, TODAY) == Dated(text, None, ("0.7",))
