"""What logs say is shown, never run: markup and code in messages, titles, branches, tools and projects stay text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.servers.dashboard.page.browsers import ATTACKS, HOSTILE, HOSTILE_TITLE

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]
# None of these is ever made from a log; the page's own two scripts are those it came with.
_ELEMENTS = (
    "#search :is(img, script, iframe, object, embed, svg, style, link, form), #overview :is(img, script, iframe)"
)


def attacked(page: Any) -> Any:
    """What an attack that worked has set, given the time to."""
    page.wait_for_timeout(100)
    return page.evaluate("window.attacked ?? null")


def test_markup_in_a_message_is_text_among_the_answers(visit: Visit) -> None:
    page = visit("/?q=wasp+attacked")
    expect(page.locator(".result").first).to_contain_text("onerror=")
    assert page.locator(_ELEMENTS).count() == 0
    assert attacked(page) is None


def test_markup_in_a_title_is_text_in_the_list(visit: Visit) -> None:
    page = visit()
    expect(page.locator(f".result[data-session='{HOSTILE}'] .title")).to_have_text(HOSTILE_TITLE)
    assert attacked(page) is None


def test_markup_in_messages_tools_and_branches_is_text_in_the_reader(visit: Visit) -> None:
    page = visit(f"/?session={HOSTILE}")
    expect(page.locator("#reader h1")).to_have_text(HOSTILE_TITLE)
    page.keyboard.press("u")
    shown = page.locator("#reader").inner_text()
    for attack in ATTACKS[:2]:
        assert attack in shown
    assert page.locator(_ELEMENTS).count() == 0
    assert attacked(page) is None


def test_a_link_in_a_message_leads_to_the_web_or_nowhere(visit: Visit) -> None:
    page = visit(f"/?session={HOSTILE}")
    expect(page.locator("#reader")).to_contain_text("[a link](javascript:")
    addresses = page.eval_on_selector_all("#reader .turn a", "links => links.map((link) => link.protocol)")
    assert set(addresses) <= {"http:", "https:"}


def test_markup_in_a_projects_name_is_text_in_filters_and_overview(visit: Visit) -> None:
    page = visit()

    def rename(route: Any) -> None:
        body = json.dumps(route.fetch().json()).replace("ada/orbit", json.dumps(ATTACKS[1])[1:-1])
        route.fulfill(body=body, content_type="application/json")

    page.route("**/api/**", rename)
    page.goto(page.url.partition("#")[0] + "#/overview")
    page.reload()
    expect(page.get_by_role("link", name=ATTACKS[1])).to_be_visible()
    assert f"{ATTACKS[1]} (2)" in page.locator("[name=project] option").all_text_contents()
    assert attacked(page) is None


def test_everything_stays_text_in_the_exported_file(window: Callable[..., Any], exported: Path) -> None:
    page = window()
    page.goto(f"{exported.as_uri()}#/?session={HOSTILE}&q=wasp")
    expect(page.locator("#reader h1")).to_have_text(HOSTILE_TITLE)
    page.keyboard.press("u")
    assert ATTACKS[0] in page.locator("#reader").inner_text()
    assert page.locator(_ELEMENTS).count() == 0
    assert attacked(page) is None
