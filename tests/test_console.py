"""What the console makes of names and places before it prints them."""

from __future__ import annotations

import sys
from datetime import datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from aicx import console
from aicx.paths import NON_REPOSITORY
from aicx.terminal import only_styles
from aicx.text import said


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("read [https://a.example/1](https://a.example/1) now", "read https://a.example/1 now"),
        ("read [the page](https://a.example/very-lo…", "read the page"),
        ("error[E0282] in [main]", "error[E0282] in [main]"),
        ("", "(no title)"),
    ],
)
def test_a_title_has_the_words_of_a_link_in_its_place(title: str, shown: str) -> None:
    assert console.title({"title": title}) == shown


def test_a_sessions_own_title_comes_first() -> None:
    assert console.title({"title": "A chunk", "session_title": "A session"}) == "A session"


def test_a_place_is_the_repository() -> None:
    assert console.place("ada/orbit", "/srv/orbit") == "ada/orbit"


def test_a_place_without_one_is_the_folder_as_seen_from_home() -> None:
    assert console.place(NON_REPOSITORY, str(Path.home() / "notes")) == "~/notes"
    assert console.place(NON_REPOSITORY, "/srv/notes") == "/srv/notes"


def test_a_long_folder_is_named_by_its_last_parts() -> None:
    assert console.place(NON_REPOSITORY, f"/srv/{'long/' * 9}orbit/pump") == "…/orbit/pump"
    assert console.place(NON_REPOSITORY, None) == "no repository"


NOW = datetime(2026, 3, 12, 15, 0)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (datetime(2026, 3, 12, 14, 5), "today 14:05"),
        (datetime(2026, 3, 11, 23, 59), "yesterday 23:59"),
        (datetime(2026, 3, 6, 9, 0), "Friday 09:00"),
        (datetime(2026, 3, 5, 9, 0), "5 March 09:00"),
        (datetime(2026, 3, 13, 9, 0), "13 March 09:00"),
        (datetime(2025, 12, 31, 9, 0), "31 December 2025"),
    ],
)
def test_a_time_is_said_as_people_say_it(at: datetime, words: str) -> None:
    assert said(at, NOW) == words


@pytest.mark.parametrize(("tty", "exact", "is_exact"), [(True, False, False), (True, True, True), (False, False, True)])
def test_a_time_is_exact_where_that_was_asked_for_or_a_program_reads_it(
    tty: bool, exact: bool, is_exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty, raising=False)
    monkeypatch.setattr(console.Style, "exact", exact)
    assert (console.when("2025-03-01T09:00:00") == "2025-03-01 09:00") is is_exact


# White, black, and the two grounds of Solarized.
GROUNDS = [(255, 255, 255), (0, 0, 0), (253, 246, 227), (0, 43, 54)]


def luminance(color: tuple[int, ...]) -> float:
    parts = [value / 255 for value in color]
    red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def rgb(number: int) -> tuple[int, ...]:
    """One of the 256 colours of xterm, from its cube or its greys."""
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    levels = (0, 95, 135, 175, 215, 255)
    return tuple(levels[(number - 16) // size % 6] for size in (36, 6, 1))


@pytest.mark.parametrize("ground", GROUNDS, ids=str)
def test_every_colour_can_be_read_on_light_and_dark(ground: tuple[int, ...]) -> None:
    for name, number in console.COLORS.items():
        low, high = sorted((luminance(rgb(number)), luminance(ground)))
        assert (high + 0.05) / (low + 0.05) >= 3, name


def test_a_terminal_with_few_colours_gets_those_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console.Style, "color", True)
    monkeypatch.delenv("COLORTERM", raising=False)
    written = {}
    for terminal in ("linux", "xterm-256color"):
        monkeypatch.setenv("TERM", terminal)
        written[terminal] = console.style("a", fg="green")
    assert written == {"linux": "\x1b[32ma\x1b[0m", "xterm-256color": "\x1b[38;5;28ma\x1b[0m"}
    assert only_styles(written["xterm-256color"]) == written["xterm-256color"]


@pytest.mark.parametrize(
    ("encoding", "environ", "expected"),
    [
        ("utf-8", {"LANG": "de_DE.UTF-8"}, True),
        ("utf-8", {}, True),
        ("utf-8", {"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, False),
        ("utf-8", {"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),
        ("latin-1", {"LANG": "de_DE"}, False),
    ],
)
def test_a_terminal_has_unicode_as_its_encoding_and_locale_say(
    encoding: str, environ: dict[str, str], expected: bool
) -> None:
    assert console.has_unicode(TextIOWrapper(BytesIO(), encoding), environ) is expected


TABLE = [("claude", "3", "first"), ("gemini-antigravity", "12", "second")]


def table(monkeypatch: pytest.MonkeyPatch, *, tty: bool, rows: list[tuple[str, str, str]] = TABLE) -> list[str]:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: tty, raising=False)
    return console.in_columns(rows, (9, 5), right=(1,))


def test_scripts_get_columns_of_the_widths_that_they_know(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(monkeypatch, tty=False) == ["claude       3first", "gemini-antigravity    12second"]


def test_on_a_terminal_columns_are_as_wide_as_their_widest_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(monkeypatch, tty=True) == ["claude                 3first", "gemini-antigravity    12second"]


def test_colours_and_wide_signs_take_the_cells_that_they_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("\x1b[32mok\x1b[0m", "1", "a"), ("計画", "1", "b")]
    assert table(monkeypatch, tty=True, rows=rows) == ["\x1b[32mok\x1b[0m           1a", "計画         1b"]


def test_a_width_of_nought_is_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    for tty in (False, True):
        monkeypatch.setattr(sys.stdout, "isatty", lambda tty=tty: tty, raising=False)
        assert console.in_columns([("a", "x"), ("abc", "y")], (0,)) == ["a    x", "abc  y"]


def test_a_table_of_no_rows_has_no_lines() -> None:
    assert console.in_columns([], (9,)) == []
