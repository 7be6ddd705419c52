"""The page Memory: read, decided on with mouse and keyboard, with the name asked once, and inert."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browsers import SharedBrowser
from tests.parts import require
from tests.servers.dashboard.http_client import serving
from tests.servers.dashboard.page.browsers import ATTACKS
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
    page = visit("/")
    page.goto(f"{address}/#/memory")
    waiting = panel(page, "Waiting for a decision").locator(".memo")
    expect(waiting.first.locator(".facts")).to_contain_text("approved")
    expect(waiting.last.locator(".facts")).to_contain_text("reads like an instruction")


def test_a_candidate_has_its_evidence_beside_it_and_a_stale_record_its_lines(visit: Visit) -> None:
    page = visit("/memory")
    waiting = panel(page, "Waiting for a decision").locator(".memo").first
    expect(waiting.locator(".statement")).to_have_text("Exports are written by a worker")
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


def test_the_name_is_asked_once_and_every_decision_is_an_event(visit: Visit, mine: tuple[Remembered, str]) -> None:
    own, address = mine
    page = visit("/memory", color_scheme="dark")
    page.goto(f"{address}/#/memory")
    page.get_by_role("button", name="Accept", exact=True).first.click()
    page.get_by_label("Your name").fill("Ada Lovelace")
    page.locator("dialog[open] [type=submit]").click()
    expect(page.locator(".verdict")).to_contain_text("2 agreed")
    page.get_by_role("button", name="Keep this").first.click()
    expect(page.get_by_label("Your name")).to_have_count(0)
    page.get_by_role("button", name="Replace as Ada Lovelace").click()
    expect(page.locator(".verdict")).to_contain_text("0 conflicts")
    event = own("history", own.refs["waiting"])["events"][-1]
    assert (event["type"], event["by"]) == ("memory.accepted", "Ada Lovelace")
    assert {own.entry(name)["status"] for name in ("ninja", "make")} == {"accepted", "superseded"}


def test_the_keyboard_is_enough(visit: Visit, mine: tuple[Remembered, str]) -> None:
    own, address = mine
    page = visit()
    page.goto(f"{address}/#/")
    page.keyboard.press("m")
    page.wait_for_selector(".memo")
    page.keyboard.press("j")
    expect(page.locator(f"[data-ref='{own.refs['waiting']}']")).to_be_focused()
    page.keyboard.press("x")
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    expect(page.locator(f"[data-ref='{own.refs['waiting']}']")).to_have_count(0)
    expect(page.locator(".memo").first).to_be_focused()
    assert own.entry("waiting")["status"] == "archived"
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert own.entry("hostile")["status"] == "candidate"
    page.keyboard.press("m")
    expect(page.locator("#search")).to_be_visible()


def test_a_candidate_takes_an_agreed_records_place(visit: Visit, mine: tuple[Remembered, str]) -> None:
    own, address = mine
    page = visit()
    page.goto(f"{address}/#/memory")
    page.get_by_role("button", name="Accept in place of").first.click()
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Accept", exact=True).last.click()
    expect(page.locator(".verdict")).to_contain_text("1 waiting")
    assert own.entry("agreed")["status"] == "superseded"
    assert own.entry("waiting")["baseline"]


def test_a_refused_decision_says_why_and_changes_nothing(visit: Visit, mine: tuple[Remembered, str]) -> None:
    own, address = mine
    page = visit()
    page.goto(f"{address}/#/memory")
    page.wait_for_selector(".memo")  # shown as it was before the edit
    own("edit", own.refs["waiting"], "--detail", "With a queue of its own")
    page.get_by_role("button", name="Accept", exact=True).first.click()
    page.get_by_label("Your name").fill("Ada")
    page.locator("dialog[open] [type=submit]").click()
    expect(page.locator("dialog[open] [role=alert]")).to_contain_text("changed meanwhile")
    assert own.entry("waiting")["status"] == "candidate"


def test_markup_in_records_is_text(visit: Visit) -> None:
    page = visit("/memory")
    expect(page.locator("#memory")).to_contain_text(HOSTILE)
    expect(page.locator("#memory")).to_contain_text(ATTACKS[3])
    page.locator(".memo", has_text="Prefer").focus()
    page.keyboard.press("a")
    expect(page.locator("dialog[open]")).to_contain_text(HOSTILE)
    assert page.locator("#memory :is(img, script, iframe, svg)").count() == 0
    links = page.eval_on_selector_all("#memory a", "links => links.map((link) => link.protocol)")
    assert set(links) <= {"http:"}
    assert attacked(page) is None


@pytest.mark.parametrize("width", [320, 390, 800])
def test_nothing_is_wider_than_a_small_screen(visit: Visit, width: int) -> None:
    page = visit("/memory", width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_in_a_file_offers_no_memory(window: Callable[..., Any], exported: Path) -> None:
    page = window()
    page.goto(f"{exported.as_uri()}#/memory")
    expect(page.locator("#search")).to_be_visible()
    expect(page.locator("#to-memory")).to_be_hidden()
