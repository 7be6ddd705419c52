"""The exported file in a browser: it asks nobody, and searches, filters and reads by itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.corpus.builders import Home
from tests.servers.dashboard.page.browsers import LEXER, LONG
from tests.servers.dashboard.page.exports import export

pytestmark = pytest.mark.needs("test")

Open = Callable[..., Any]


@pytest.fixture
def open_file(window: Callable[..., Any], exported: Path) -> Open:
    """Opens the file at a route, as from a folder; every request it makes is kept in ``page.asked``."""

    def open_at(route: str = "/", **options: Any) -> Any:
        page = window(**options)
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(f"{exported.as_uri()}#{route}")
        page.wait_for_selector(":is(.result, .state, .tile, .part):visible")
        return page

    return open_at


def shown(page: Any) -> list[str]:
    return list(page.eval_on_selector_all(".result", "rows => rows.map((row) => row.dataset.session)"))


def test_the_file_asks_nobody_for_anything(open_file: Open) -> None:
    page = open_file("/?q=lexer")
    page.locator(".result a.title").first.click()
    expect(page.locator("#reader h1")).to_be_visible()
    page.keyboard.press("o")
    page.wait_for_selector(".tile")
    assert [url for url in page.asked if not url.startswith(("file:", "data:"))] == []


def test_the_file_says_what_it_is_and_how_it_searches(open_file: Open) -> None:
    page = open_file()
    expect(page.locator(".about")).to_contain_text("A copy made on 5 March 2026")
    expect(page.locator(".about")).to_contain_text("plain words")


def test_words_are_found_with_their_endings(open_file: Open) -> None:
    page = open_file("/?q=dropping+tokens")
    assert shown(page)[0] == LEXER
    assert "drops" in page.locator(".matches mark").all_inner_texts()


def test_a_rarer_word_counts_more(open_file: Open) -> None:
    page = open_file("/?q=chapter+quince&group=chunk")
    expect(page.locator(".result").first).to_contain_text("quince")
    expect(page.locator(".result").nth(1)).to_contain_text("quince")


def test_a_quoted_phrase_is_found_as_it_stands(open_file: Open) -> None:
    page = open_file("/?q=%22ingredient+is+quince%22&group=chunk")
    expect(page.locator(".result")).to_have_count(2)
    page.fill("#question", '"quince ingredient"')
    expect(page.locator(".state")).to_contain_text("Nothing matches")


def test_part_of_a_name_is_found(open_file: Open) -> None:
    assert shown(open_file("/?q=next_token")) == [LEXER]


def test_filters_narrow_the_answers(open_file: Open) -> None:
    page = open_file("/?q=token+chapter&group=session")
    page.select_option("[name=agent]", "codex")
    expect(page.locator(".result")).to_have_count(1)
    assert shown(page) == [LONG]


def test_recent_answers_can_be_preferred(open_file: Open) -> None:
    page = open_file("/?q=lexer+token")
    score = page.locator(".why meter").first
    expect(score).to_be_visible()
    page.select_option("[name=sort]", "recent")
    expect(page.locator(".found")).to_contain_text("answer")
    assert shown(page)[0] == LEXER


def test_dates_narrow_the_sessions(open_file: Open) -> None:
    assert len(shown(open_file("/?since=2026-03-01&until=2026-03-01"))) == 3
    assert shown(open_file("/?since=2026-03-02")) == []


def test_the_reader_goes_to_the_hit(open_file: Open) -> None:
    page = open_file("/?q=quince&group=session")
    page.locator(".result a.title").first.click()
    expect(page.locator(".turn.hit mark").first).to_be_in_viewport()
    expect(page.locator(".places")).to_contain_text("of 2 hits")


def test_the_overview_works_without_a_button_that_needs_a_server(open_file: Open) -> None:
    page = open_file("/overview")
    expect(page.get_by_role("img", name="Sessions a week by agent")).to_be_visible()
    expect(page.get_by_role("button", name="Store now")).to_have_count(0)


def test_the_overview_of_a_choice_of_sessions_shows_that_choice(
    window: Callable[..., Any], sessions: Home, tmp_path: Path
) -> None:
    export(sessions, tmp_path / "page.html", project="ada/apiary")
    page = window()
    page.goto(f"{(tmp_path / 'page.html').as_uri()}#/overview")
    expect(page.locator(".tile").first).to_have_text("1session")
    expect(page.locator(".panel h2")).to_have_text(["Sessions a week", "Projects"])


def test_back_leads_from_the_session_to_the_answers(open_file: Open) -> None:
    page = open_file("/?q=lexer")
    page.locator(".result a.title").first.click()
    expect(page.locator("#reader h1")).to_be_visible()
    page.go_back()
    expect(page.locator("#reader")).to_be_hidden()


def test_a_phone_shows_the_file_without_scrolling_sideways(open_file: Open) -> None:
    page = open_file(f"/?session={LONG}", width=320, height=640)
    page.wait_for_selector(".part")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
