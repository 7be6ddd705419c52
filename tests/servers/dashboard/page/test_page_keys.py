"""The page by keyboard alone, and what it keeps."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.sampling import sample
from tests.servers.dashboard.page.browsers import HOSTILE, LEXER, LONG

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]


def focused_session(page: Any) -> str:
    return str(page.evaluate("document.activeElement.closest('.result')?.dataset.session ?? ''"))


def test_slash_goes_to_the_box(visit: Visit) -> None:
    page = visit()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()


def test_j_and_k_move_through_the_answers(visit: Visit) -> None:
    page = visit()
    seen = []
    for key in "jjk":
        page.keyboard.press(key)
        seen.append(focused_session(page))
    assert seen == [LONG, HOSTILE, LONG]


def test_letters_typed_into_the_box_are_a_question(visit: Visit) -> None:
    page = visit()
    page.keyboard.press("/")
    page.keyboard.type("jk?t")
    expect(page.locator("#question")).to_have_value("jk?t")
    expect(page.locator("dialog.help")).to_be_hidden()


def test_enter_opens_and_escape_closes_where_it_was_opened(visit: Visit) -> None:
    page = visit()
    for key in ("j", "j", "j", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#reader h1")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#reader")).to_be_hidden()
    assert focused_session(page) == LEXER


def test_enter_in_the_box_goes_to_the_first_answer_once_it_is_there(visit: Visit) -> None:
    page = visit()
    page.keyboard.press("/")
    page.keyboard.type("quince")
    page.keyboard.press("Enter")
    expect(page.locator(".result:has(meter) a.title").first).to_be_focused()


def test_inside_a_session_j_moves_from_message_to_message(visit: Visit) -> None:
    page = visit(f"/?session={LEXER}")
    expect(page.locator("#reader h1")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator(".turn.user").first).to_be_focused()


def test_a_question_mark_shows_the_keys_and_escape_hides_them(visit: Visit) -> None:
    page = visit()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.help")).to_be_hidden()


def test_a_theme_is_chosen_with_t_and_kept(visit: Visit) -> None:
    page = visit(color_scheme="light")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.keyboard.press("t")
    page.keyboard.press("t")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != ground
    page.reload()
    page.wait_for_selector(".result")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_what_has_the_focus_can_be_seen(visit: Visit) -> None:
    page = visit()
    bare = []
    for _ in range(12):
        page.keyboard.press("Tab")
        bare += page.evaluate(
            """() => {
              const node = document.activeElement;
              const styles = [getComputedStyle(node), getComputedStyle(node, "::after"),
                              node.nextElementSibling && getComputedStyle(node.nextElementSibling)];
              return styles.some((style) => style && style.outlineStyle !== "none" && style.outlineWidth !== "0px")
                ? [] : [node.outerHTML];
            }"""
        )
    assert bare == []


_ROUTES = ("/", f"/?session={LEXER}", "/overview", "/why", "/memory", "/work")
# What can be pressed or filled in, once for each group of radio buttons, of which the keyboard stops at one.
_PRESSED = """() => {
  const nodes = document.querySelectorAll("a[href], button:not(:disabled), select, input, summary");
  const seen = [...nodes].filter((node) => node.checkVisibility() && (node.type !== "radio" || node.checked));
  seen.forEach((node, at) => (node.dataset.stop = at));
  window.reached = new Set();
  addEventListener("focusin", (event) => reached.add(event.target.dataset?.stop));
  return seen.length;
}"""


@pytest.mark.parametrize(("route", "width"), sample([*product(_ROUTES, [1280, 390])], 5))
def test_tab_reaches_everything_that_can_be_pressed(visit: Visit, route: str, width: int) -> None:
    page = visit(route, width=width)
    page.wait_for_load_state("networkidle")
    stops = page.evaluate(_PRESSED)
    page.evaluate("document.activeElement.blur()")
    wanted, reached = {str(number) for number in range(stops)}, set()
    for pressed in range(2 * stops + 20):
        page.keyboard.press("Tab")
        if pressed % 10 == 9 and wanted <= (reached := set(page.evaluate("[...reached]"))):
            break
    assert wanted <= reached
