"""Quoted lines as a terminal shows them."""

from __future__ import annotations

import pytest

from aicx.commands.results import plain, rows
from retrieval.lines import ShortenedLine


def test_quoted_line_is_set_in_rows_with_its_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("aicx.console.style", lambda text, **_: f"<{text}>")
    line = ShortenedLine("a gasket that leaks and another gasket here", ((2, 8), (32, 38)))
    assert list(rows(line)) == ["a <gasket> that leaks and", "another <gasket> here"]


def test_quoted_line_without_a_space_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "30")
    assert "".join(rows(ShortenedLine("x" * 70))) == "x" * 70
    assert max(map(len, rows(ShortenedLine("x" * 70)))) == 24


def test_quoted_line_loses_the_marks_of_markdown_and_keeps_those_of_the_question() -> None:
    text = "## The **gasket** [leaks](https://x.example/1) at `arr[0](x)`"
    found = plain(ShortenedLine(text, ((9, 15), (19, 24))))
    assert found.text == "The gasket leaks at `arr[0](x)`"
    assert [found.text[low:high] for low, high in found.marks] == ["gasket", "leaks"]


def test_quoted_line_of_a_tool_stays_as_it_is() -> None:
    assert plain(ShortenedLine("**/*.py # all", voice="tool")).text == "**/*.py # all"


def test_quoted_line_is_one_row_where_there_is_no_terminal() -> None:
    assert list(rows(ShortenedLine("word " * 50 + "end"))) == ["word " * 50 + "end"]
