"""Local time: what people read and write, wherever they are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from aicx.brief import QUOTED, fenced, unfenced
from aicx.text import Zone, day_bounds, first_of, local, printable, shorten, time_span, zone_name

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Zone, "utc", True)


def test_a_time_is_that_of_the_machine(berlin: None) -> None:
    assert f"{local('2026-07-01T23:30:00.000Z'):%Y-%m-%d %H:%M}" == "2026-07-02 01:30"


def test_a_time_is_that_of_utc_where_it_is_asked_for(berlin: None, utc: None) -> None:
    assert f"{local('2026-07-01T23:30:00.000Z'):%Y-%m-%d %H:%M}" == "2026-07-01 23:30"


def test_a_naive_time_is_on_the_same_clock(berlin: None) -> None:
    assert local("2026-07-01T14:00") == NOON


def test_a_naive_time_is_utc_where_that_is_asked_for(berlin: None, utc: None) -> None:
    assert local("2026-07-01T12:00") == NOON


def test_the_last_instant_that_there_is_stays_as_it_is(berlin: None) -> None:
    last = datetime.max.replace(tzinfo=UTC)
    assert local(last) == last


def test_a_day_begins_at_local_midnight(berlin: None) -> None:
    begin, end = day_bounds("2026-07-01")
    assert (begin, end) == (datetime(2026, 6, 30, 22, tzinfo=UTC), datetime(2026, 7, 1, 22, tzinfo=UTC))


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-03-30", 24)])
def test_a_day_on_which_the_clocks_change_has_its_own_length(berlin: None, day: str, hours: int) -> None:
    begin, end = day_bounds(day)
    assert end - begin == timedelta(hours=hours)


def test_the_zone_has_its_name_and_offset(berlin: None) -> None:
    assert zone_name(NOON) == "CEST (UTC+02:00)"
    assert zone_name(datetime(2026, 1, 1, tzinfo=UTC)) == "CET (UTC+01:00)"


def test_utc_is_called_utc(berlin: None, utc: None) -> None:
    assert zone_name(NOON) == "UTC"


def test_a_span_of_time_repeats_nothing() -> None:
    began = datetime(2026, 3, 1, 22, 0, tzinfo=UTC)
    assert time_span(began, began + timedelta(seconds=30)) == "2026-03-01 22:00"
    assert time_span(began, began + timedelta(hours=1)) == "2026-03-01 22:00 to 23:00"
    assert time_span(began, began + timedelta(hours=3)) == "2026-03-01 22:00 to 2026-03-02 01:00"


def test_a_list_that_is_cut_says_how_many_more_there_are() -> None:
    assert first_of(["a", "b"], 2) == "a, b"
    assert first_of(map(str, range(1500)), 1, "; ") == "0 and 1,499 more"
    assert first_of([]) == ""


def test_what_is_fenced_is_unfenced_as_it_was() -> None:
    quoted = "one\n````\ntwo"
    assert unfenced(f"{QUOTED}\n\n{fenced(quoted)}\n2 answers.") == f"{quoted}\n2 answers."


def test_a_text_that_was_cut_before_is_cut_with_one_ellipsis() -> None:
    assert shorten("JanDe/oh…-posh", 10) == "JanDe/oh…"


def test_no_sign_that_is_not_seen_is_shown_beside_others_that_are_no_ascii() -> None:
    assert printable("café…\u3164 \u200b— \x1b[2J\u2028ok") == "café… —  [2J ok"
