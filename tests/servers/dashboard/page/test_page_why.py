"""The box and the page for `aicx why`: asked, shared, moved through with the keyboard, and inert."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from aicx.engine.lexical_index import refresh_lexical
from tests.browsers import SharedBrowser
from tests.corpus.builders import SESSION, Home, when
from tests.parts import require
from tests.servers.dashboard.http_client import serving
from tests.servers.dashboard.page.browsers import ATTACKS, too_wide
from tests.servers.dashboard.page.test_page_inert import attacked
from tests.why.builders import Story

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]
SHARED = "/why?project=ada%2Forbit&target=src%2Fparser.py"
PARSER = f"claude:{SESSION}"
TITLE = f"Parser {ATTACKS[1]}"


@pytest.fixture(scope="module")
def address(browser: SharedBrowser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A repository with a commit, and the session that made it; both hold markup."""
    require("web")
    story = Story(Home(tmp_path_factory.mktemp("why")))
    log = story.log().prompt(f"The parser should read nested brackets {ATTACKS[0]}", 0).title(TITLE)
    story.edited(log, "src/parser.py", 10, "def parse(text): ...")
    story.keep(log.answer("The parser reads nested brackets now, because `parse` counts them.", 30))
    story.repository.commit("src/parser.py", "def parse(text): ...\n", f"Nested {ATTACKS[3]}", when(60))
    refresh_lexical(story.user.settings, lambda line: None)
    with chdir(story.repository.folder), serving("--rate", "10000", **story.user.environ) as (_, found):
        yield found


def test_a_file_leads_to_its_session_and_from_there_to_the_part_that_shows_it(visit: Visit) -> None:
    page = visit("/why")
    expect(page.locator("#why .state")).to_contain_text("session that made it")
    page.get_by_label("Commit, file or lines").fill("src/parser.py")
    page.get_by_label("Repository").select_option("ada/orbit")
    page.get_by_role("button", name="Why?").click()
    expect(page.locator(f".because .result[data-session='{PARSER}']")).to_contain_text(TITLE)
    assert page.url.endswith(SHARED)
    page.locator(".because a.title").first.click()
    expect(page.locator("#reader h1")).to_have_text(TITLE)


def test_before_anything_is_asked_the_latest_commits_of_where_it_was_started_are_links(visit: Visit) -> None:
    page = visit("/why")
    expect(page.get_by_label("Repository")).to_have_value("ada/orbit")
    expect(page.locator("#why .recent a").first).to_contain_text("Nested")
    page.locator("#why .recent a").first.click()
    expect(page.locator(f".because .result[data-session='{PARSER}']")).to_contain_text(TITLE)


def test_a_folder_leads_to_the_session_that_made_what_is_in_it(visit: Visit) -> None:
    page = visit("/why?project=ada%2Forbit&target=src")
    expect(page.locator(f".because .result[data-session='{PARSER}']")).to_contain_text(TITLE)


def test_code_in_a_reason_is_drawn_as_code(visit: Visit) -> None:
    expect(visit(SHARED).locator(".reasons .said code")).to_have_text("parse")


def test_an_address_can_be_shared(visit: Visit) -> None:
    page = visit(SHARED)
    expect(page.get_by_label("Commit, file or lines")).to_have_value("src/parser.py")
    expect(page.get_by_label("Repository")).to_have_value("ada/orbit")
    expect(page.locator(".because .result")).to_have_count(1)
    assert page.title() == "Why src/parser.py · aicx"


def test_the_keyboard_is_enough(visit: Visit) -> None:
    page = visit()
    page.keyboard.press("w")
    expect(page.get_by_label("Commit, file or lines")).to_be_focused()
    page.keyboard.type("src/parser.py")
    page.keyboard.press("Enter")
    page.wait_for_selector(".because .result")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator(".because a.title").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_visible()


def test_nothing_found_and_a_bad_target_are_told(visit: Visit) -> None:
    page = visit("/why?target=deadbeef")
    expect(page.locator(".because")).to_contain_text("No stored session was found for it")
    expect(page.locator(".because .note")).to_contain_text("no repository is at hand")
    page.goto(page.url.partition("#")[0] + "#/why?target=x.py:0")
    expect(page.locator(".because [role=alert]")).to_contain_text("names no lines")


def test_each_commit_has_a_page_of_its_own(visit: Visit) -> None:
    page = visit(SHARED)
    link = page.locator(".commits a")
    expect(link).to_have_count(1)
    link.click()
    page.wait_for_url(re.compile(r"&target=[0-9a-f]{40}$"))
    expect(page.locator(f".because .result[data-session='{PARSER}']")).to_contain_text("changed 1 of 1 file")
    page.locator(".reasons a").first.click()
    expect(page.locator("#reader h1")).to_have_text(TITLE)


def test_markup_in_commits_titles_and_reasons_is_text(visit: Visit) -> None:
    page = visit(SHARED)
    shown = page.locator(".because")
    for attack in ("<script>window.attacked", ATTACKS[1], ATTACKS[3]):
        expect(shown).to_contain_text(attack)
    assert page.locator("#why :is(img, script, iframe, svg)").count() == 0
    assert {link.rpartition("/#/")[2][:1] for link in links(page)} == {"?", "w"}
    assert attacked(page) is None


def links(page: Any) -> list[str]:
    return list(page.eval_on_selector_all("#why a", "links => links.map((link) => link.href)"))


def test_nothing_is_wider_than_a_small_screen(visit: Visit) -> None:
    assert too_wide(visit(f"/why?target={'long' * 60}.py&project=ada%2Forbit")) == {}


def test_a_page_in_a_file_offers_no_box(window: Callable[..., Any], exported: Path) -> None:
    page = window()
    page.goto(f"{exported.as_uri()}#/why?target=HEAD")
    expect(page.locator("#search")).to_be_visible()
    expect(page.locator("#to-why")).to_be_hidden()
