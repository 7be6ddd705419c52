"""The page Work: read and moved through with mouse and keyboard, on a phone, inert, and with a next step when empty."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browsers import SharedBrowser
from tests.corpus.builders import SESSION
from tests.servers.dashboard.page.browsers import ATTACKS, too_wide
from tests.servers.dashboard.page.test_page_inert import attacked
from tests.servers.dashboard.works import BRANCH, HOSTILE, Worked

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def address(browser: SharedBrowser, worked_address: str) -> str:
    return worked_address


def panel(page: Any, title: str) -> Any:
    return page.locator(f"#work .panel[aria-label='{title}']")


def unfolded(page: Any, title: str) -> Any:
    found = panel(page, title)
    found.locator("> summary").click()
    return found


def answered(page: Any, **changed: Any) -> None:
    """Has the server answer with these fields instead of its own."""

    def change(route: Any) -> None:
        fields = {**route.fetch().json(), **changed}
        route.fulfill(body=json.dumps(fields), content_type="application/json")

    page.route("**/api/work*", change)
    page.reload()


def test_each_list_shows_what_it_is_for(visit: Visit, worked: Worked) -> None:
    page = visit("/work")
    expect(page.locator("#work .verdict")).to_have_text("3 open tasks, 3 sessions, 1 open failure, 2 contracts")
    expect(panel(page, "Open tasks")).to_contain_text("Fix the login")
    expect(panel(page, "Open tasks")).to_contain_text("src/login.py")
    expect(unfolded(page, "Paused or blocked").locator("[data-state=paused]")).to_be_visible()
    skipped = panel(page, "Skipped")
    expect(skipped.locator("[data-reason=branch_mismatch_unmerged]")).to_have_text("its branch is not merged")
    expect(skipped).to_contain_text(f"left on {BRANCH}, which is not merged here")
    expect(panel(page, "Sessions").locator(".card")).to_have_count(3)
    open_ended = panel(page, "Sessions").locator(".card", has_text="left open")
    expect(open_ended).to_have_count(1)  # by its statement; after "The logout breaks" something else was asked
    expect(open_ended).to_contain_text("stated")
    expect(panel(page, "Open failures")).to_contain_text("logout/end.py:9")
    expect(panel(page, "Resolved failures")).to_contain_text("Helped edited src/login.py")
    expect(panel(page, "Contracts").locator(".card", has_text="src/login.py was not opened")).to_have_count(1)


def test_three_cards_say_what_is_open_what_fails_and_what_is_next(visit: Visit) -> None:
    page = visit("/work")
    cards = page.locator("#work .first")
    expect(cards.locator("h2")).to_have_text(["Open now", "Failing", "Next"])
    expect(cards.nth(0)).to_contain_text("Fix the login")
    expect(cards.nth(1)).to_contain_text('Name "session" is not defined')
    expect(cards.nth(2)).to_contain_text("Look at <img src=x")
    expect(page.locator("#work .panel[open]")).to_have_count(0)
    cards.nth(1).get_by_role("button", name="Failing: see all").click()
    expect(panel(page, "Open failures").locator("> summary")).to_be_focused()
    expect(panel(page, "Open failures").locator(".card")).to_be_visible()


def test_colour_is_for_what_needs_a_person(visit: Visit) -> None:
    page = visit("/work")
    page.keyboard.press("u")
    colours = """(nodes) => nodes.map((node) => getComputedStyle(node).color)"""
    plain = set(page.locator("#work :is(.facts, .statement)").evaluate_all(colours))
    assert set(page.locator("#work [data-state]:not([data-state=open])").evaluate_all(colours)) <= plain
    assert not set(page.locator("#work [data-needs] h2").evaluate_all(colours)) & plain
    answered(page, failing=[], failing_total=0)
    page.wait_for_selector("#work .first")
    expect(page.locator("#work [data-needs]")).to_have_count(0)


def test_the_page_shows_when_sessions_merges_and_releases_were(visit: Visit) -> None:
    page = visit("/work")
    page.get_by_text("When was it").click()
    picture = page.get_by_role("img", name="Sessions by branch with merges and releases")
    expect(picture.locator(".span")).to_have_count(3)
    page.locator("#work .timeline").get_by_text("As a table").click()
    page.locator("#work .timeline").get_by_role("link", name="session").first.click()
    expect(page.locator("#reader h1")).to_be_visible()


def test_a_merge_leads_to_the_reason_of_its_commit_in_this_repository(visit: Visit) -> None:
    drawn = """async () => {
      const { drawRepository } = await import("/assets/timeline.js");
      const mark = { kind: "merge", at: "2026-03-01T10:00:00Z", label: "Merge", ref: "commit:1a2b3c4" };
      const [, figure] = drawRepository(
        { repository: "ada/orbit", spans: [], marks: [mark], sessions_total: 0, notes: [] },
        { width: 900, left: 136, letters: 18 },
      );
      return figure.querySelector("td a").getAttribute("href");
    }"""
    address = visit("/work").evaluate(drawn)
    assert "target=1a2b3c4" in address
    assert "project=ada" in address


def test_nothing_is_said_to_be_done_while_sessions_are_not_read(visit: Visit) -> None:
    page = visit("/work")
    page.wait_for_selector("#work .first")
    answered(page, failing=[], failing_total=0, unread=3)
    page.wait_for_selector("#work .first")
    expect(page.get_by_role("region", name="Failing")).to_contain_text("Not known")


def test_sessions_that_are_not_read_yet_are_counted_with_what_to_do(visit: Visit) -> None:
    page = visit("/work")
    expect(page.locator("#work .note").first).to_have_text("1 session not read yet, and missing below.")
    expect(page.locator("#work .command code").first).to_have_text("aicx store")


def test_code_in_a_line_is_drawn_as_code(visit: Visit) -> None:
    drawn = """async () => {
      const { lines } = await import("/assets/evidence.js");
      return lines("Fails", ["`make` failed"]).querySelector("li .said").innerHTML;
    }"""
    assert visit("/work").evaluate(drawn) == "<code>make</code> failed"


def test_code_in_what_comes_next_is_drawn_as_code(visit: Visit) -> None:
    drawn = """async () => {
      const { handoffSummary } = await import("/assets/handoffs.js");
      const { taskSummary } = await import("/assets/tasks.js");
      const nodes = [
        ...handoffSummary({ entry: { refs: [], next: ["Run `make`"], failing: [], done: [] } }),
        ...taskSummary({ entry: { status: "", loading: { loadable: true } }, next: "Run `make`", next_field: "" }),
      ];
      return nodes.flatMap((node) => (node ? [...node.querySelectorAll("code")] : [])).map((node) => node.textContent);
    }"""
    assert visit("/work").evaluate(drawn).count("make") == 2


def test_what_was_stated_is_in_the_row_of_its_session(visit: Visit) -> None:
    page = visit("/work")
    entry = {
        **{name: [] for name in ("done", "failing", "next", "questions", "decisions", "starting_points", "commits")},
        "tests": [],
        "refs": [],
        "claims": [],
        "ref": "work:0123456789ab",
        "origin": "stated",
        "session": None,
        "agent": "codex",
        "at": "2026-03-01T10:00:00Z",
        "branch": None,
        "compatible": True,
        "offered": False,
        "outcome": "failed",
        "failing": ["`mypy` failed"],
        "summary": "Tokens are lost",
        "next": ["Count them"],
    }
    rows = [{"entry": {**entry, "goal": goal}, "session": None, "stored": False, "left_open": False, "proofs": []}
            for goal in ("Renew the tokens", "")]  # fmt: skip
    answered(page, sessions=rows)
    cards = panel(page, "Sessions").locator(".card")
    expect(cards.nth(0)).to_contain_text("Renew the tokensStated Tokens are lost")
    expect(cards.nth(1)).to_contain_text("Tokens are lostNext Count them")


def test_a_line_leads_to_the_part_that_proves_it(visit: Visit) -> None:
    page = visit("/work")
    card = unfolded(page, "Sessions").locator(".card").nth(1)
    card.locator("summary").click()
    card.locator("li", has_text="Done: tokens last an hour").get_by_role("link", name="part 1").click()
    expect(page.locator("#reader")).to_contain_text("tokens last an hour")
    page.go_back()
    expect(card).to_have_attribute("open", "")
    expect(panel(page, "Sessions")).to_have_attribute("open", "")


def test_a_failure_shows_what_was_tried_and_leads_to_what_resolved_it(visit: Visit) -> None:
    page = visit("/work")
    card = unfolded(page, "Resolved failures").locator(".card")
    card.locator("summary").click()
    expect(card.locator(".lines", has_text="Tried without effect")).to_contain_text("src/token.py")
    resolved = card.locator(".lines", has_text="Resolved by")
    expect(resolved).to_contain_text("src/login.py")
    resolved.get_by_role("link", name="part 1").click()
    expect(page.locator("#reader")).to_contain_text("Success: no issues found")
    assert f"session=claude%3A{SESSION}" in page.url


def test_a_contract_shows_each_check_and_what_was_found(visit: Visit) -> None:
    page = visit("/work")
    card = unfolded(page, "Contracts").locator(".card", has_text="src/login.py was not opened")
    card.locator("summary").click()
    row = card.get_by_role("row", name="Edit")
    expect(row).to_contain_text("src/login.py")
    expect(row).to_contain_text("✕ not kept")
    expect(card).to_contain_text("(edit_outside_scope)")


def test_the_keyboard_is_enough(visit: Visit) -> None:
    page = visit()
    page.keyboard.press("c")
    page.wait_for_selector("#work .glance")
    assert page.title() == "Work · aicx"
    page.keyboard.press("j")
    page.keyboard.press("j")
    first = panel(page, "Open tasks")
    expect(first.locator("> summary")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("j")
    expect(first.locator(".card > summary")).to_be_focused()
    page.keyboard.press("u")
    expect(page.locator("#work :is(.card, .panel[aria-label]):not([open])")).to_have_count(0)
    page.keyboard.press("u")
    expect(page.locator("#work :is(.card, .panel[aria-label])[open]")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_visible()


def test_more_of_a_list_has_the_focus_where_it_goes_on(visit: Visit, worked: Worked) -> None:
    page = visit("/work")

    def cut(route: Any) -> None:
        fields = route.fetch().json()
        if "limit=20" in route.request.url:
            fields["sessions"] = fields["sessions"][:2]
        route.fulfill(body=json.dumps(fields), content_type="application/json")

    page.route("**/api/work*", cut)
    page.reload()
    unfolded(page, "Sessions").get_by_role("button", name="1 more").click()
    expect(panel(page, "Sessions").locator(".card summary").nth(2)).to_be_focused()
    expect(panel(page, "Sessions").get_by_role("button")).to_have_count(0)


def test_empty_lists_say_what_to_do_next(visit: Visit) -> None:
    page = visit("/work")
    nothing = ("active", "waiting", "skipped", "sessions", "failing", "fixed", "contracts")
    totals = ("tasks_total", "sessions_total", "failing_total", "fixed_total", "contracts_total", "unread")
    answered(page, **{name: [] for name in nothing}, **dict.fromkeys(totals, 0))
    expect(panel(page, "Open tasks")).to_contain_text("aicx task start")
    expect(panel(page, "Sessions")).to_contain_text("aicx store")
    expect(panel(page, "Contracts")).to_contain_text("aicx init")


def test_a_home_without_anything_says_how_to_begin(visit: Visit) -> None:
    page = visit("/work")
    answered(page, repository=None, repositories=[])
    expect(page.locator("#work .state")).to_contain_text("No work is known yet")
    expect(page.locator("#work .state code")).to_have_text(["aicx store", 'aicx task start "…"'])
    expect(page.get_by_label("Whose work")).to_be_hidden()


def test_markup_in_tasks_branches_and_reports_is_text(visit: Visit) -> None:
    page = visit("/work")
    page.keyboard.press("u")
    shown = page.locator("#work")
    for text in (HOSTILE, BRANCH, ATTACKS[0], ATTACKS[3]):
        expect(shown).to_contain_text(text)
    assert page.locator("#work :is(img, script, iframe)").count() == 0
    links = page.eval_on_selector_all("#work a", "links => links.map((link) => link.protocol)")
    assert set(links) == {"http:"}
    assert attacked(page) is None


def test_nothing_is_wider_than_a_small_screen(visit: Visit) -> None:
    page = visit("/work")
    page.keyboard.press("u")
    assert too_wide(page) == {}


def test_a_page_in_a_file_offers_no_work(window: Callable[..., Any], exported: Path) -> None:
    page = window()
    page.goto(f"{exported.as_uri()}#/work")
    expect(page.locator("#search")).to_be_visible()
    expect(page.locator("#to-work")).to_be_hidden()
