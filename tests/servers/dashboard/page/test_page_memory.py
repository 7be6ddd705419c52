"""The page Memory: quoted, with the command of the one decision to take, moved through with the keyboard, and inert."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browsers import SharedBrowser
from tests.parts import require
from tests.servers.dashboard.http_client import serving
from tests.servers.dashboard.page.browsers import ATTACKS, too_wide
from tests.servers.dashboard.page.memories import HOSTILE, Remembered
from tests.servers.dashboard.page.test_page_inert import attacked

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Remembered:
    return Remembered(tmp_path_factory.mktemp("memory"))


@pytest.fixture(scope="module")
def address(browser: SharedBrowser, memory: Remembered) -> Iterator[str]:
    require("web")
    with serving("--rate", "10000", **memory.environ) as (_, found):
        yield found


@pytest.fixture
def mine(browser: SharedBrowser, tmp_path: Path) -> Iterator[tuple[Remembered, str]]:
    """A memory that may be decided about."""
    own = Remembered(tmp_path)
    with serving("--rate", "10000", **own.environ) as (_, found):
        yield own, found


def panel(page: Any, title: str) -> Any:
    return page.locator("#memory .panel", has=page.get_by_role("heading", name=title, exact=True))


def test_a_candidate_says_where_it_is_in_its_review(visit: Visit, mine: tuple[Remembered, str]) -> None:
    own, address = mine
    own("approve", own.refs["waiting"], "--by", "Ada", group="review")
    page = visit("/memory", at=address)
    waiting = panel(page, "Waiting for a decision").locator(".memo")
    expect(waiting.first.locator("p.facts")).to_contain_text("approved")
    expect(waiting.last.locator("p.facts")).to_contain_text("reads like an instruction")


def test_a_candidate_has_its_evidence_beside_it_and_a_stale_record_its_lines(visit: Visit) -> None:
    page = visit("/memory")
    waiting = panel(page, "Waiting for a decision").locator(".memo").first
    expect(waiting.locator(".statement")).to_contain_text("Exports are written by a worker")
    expect(waiting.locator(".beside")).to_contain_text("def retry(call):")
    expect(waiting.locator(".beside")).to_contain_text("because they are slow")
    stale = panel(page, "Went stale")
    expect(stale.locator("[data-sign='-']")).to_contain_text("range(5)")
    expect(stale.locator("[data-sign='+']")).to_contain_text("range(9)")
    expect(panel(page, "Agreed").get_by_role("heading", level=3)).to_have_text("exports")
    expect(panel(page, "In conflict").locator(".memo")).to_have_count(2)
    said, beside = (waiting.locator(name).bounding_box() for name in (".said", ".beside"))
    assert beside["x"] > said["x"] + 200
    assert abs(beside["y"] - said["y"]) < 40


def test_a_statement_is_quoted_with_who_said_it_when_and_why_it_waits(visit: Visit) -> None:
    memo = panel(visit("/memory"), "Waiting for a decision").locator(".memo").first
    expect(memo.locator("blockquote")).to_have_text("“Exports are written by a worker”")
    expect(memo.locator("figcaption b")).to_have_text("An agent")
    expect(memo.locator("figcaption time")).to_have_attribute("datetime", re.compile(r"^\d{4}-\d\d-\d\dT"))
    expect(memo.locator(".because")).to_have_text("nobody has accepted it yet")


def test_the_one_decision_is_a_command_that_works_once_a_name_is_put_in(
    visit: Visit, mine: tuple[Remembered, str]
) -> None:
    own, address = mine
    page = visit("/memory", at=address)
    waiting = panel(page, "Waiting for a decision").locator(".memo").first
    shown = waiting.locator(".decide > .command code")
    expect(shown).to_have_text(f'aicx memory accept {own.refs["waiting"]} --by "YOUR NAME"')
    group, *words = shlex.split(shown.text_content().replace("YOUR NAME", "Ada Lovelace"))[1:]
    own(*words, "--yes", group=group)
    assert own.entry("waiting")["status"] == "accepted"
    waiting.get_by_text("Decide otherwise").click()
    expect(waiting.locator("details .command b")).to_have_text(["Reject", "Pin"])
    expect(panel(page, "In conflict").locator(".decide > .command b")).to_have_text(["Keep this", "Keep this"])
    expect(panel(page, "Went stale").locator(".decide > .command code")).to_contain_text("--result pass")


def test_the_page_decides_nothing(visit: Visit) -> None:
    page = visit("/memory")
    sent = []
    page.on("request", lambda request: request.method != "GET" and sent.append(request.url))
    for button in page.locator("#memory button:visible").all():
        button.click()
    page.keyboard.press("a")
    assert sent == []
    assert page.locator("#memory :is(form, dialog)").count() == 0


def test_the_keyboard_is_enough(visit: Visit, memory: Remembered) -> None:
    page = visit()
    page.keyboard.press("m")
    page.wait_for_selector(".memo")
    page.keyboard.press("j")
    expect(page.locator(f"[data-ref='{memory.refs['waiting']}']")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Copy the command: Accept").first).to_be_focused()
    page.keyboard.press("m")
    expect(page.locator("#search")).to_be_visible()


def test_markup_in_records_is_text(visit: Visit) -> None:
    page = visit("/memory")
    expect(page.locator("#memory")).to_contain_text(HOSTILE)
    expect(page.locator("#memory")).to_contain_text(ATTACKS[3])
    assert page.locator("#memory :is(img, script, iframe, svg)").count() == 0
    links = page.eval_on_selector_all("#memory a", "links => links.map((link) => link.protocol)")
    assert set(links) <= {"http:"}
    assert attacked(page) is None


def test_nothing_is_wider_than_a_small_screen(visit: Visit) -> None:
    assert too_wide(visit("/memory")) == {}


def test_a_page_in_a_file_offers_no_memory(window: Callable[..., Any], exported: Path) -> None:
    page = window()
    page.goto(f"{exported.as_uri()}#/memory")
    expect(page.locator("#search")).to_be_visible()
    expect(page.locator("#to-memory")).to_be_hidden()
