"""The page on any screen and for any eyes: no sideways scrolling, enough contrast, no motion where none is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.sampling import sample
from tests.servers.dashboard.page.browsers import HOSTILE, LEXER, LONG

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]
ROUTES = ("/", "/?q=lexer+quince", f"/?session={LEXER}", f"/?session={HOSTILE}", f"/?session={LONG}", "/overview")

# Every visible text whose contrast to what is painted behind it is too low, as WCAG computes it. Colours are painted on
# a canvas to have them as numbers, whatever way they are written.
_POOR_CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const painted = (color, under) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const each of [under, color]) { canvas.fillStyle = each; canvas.fillRect(0, 0, 1, 1); }
    return `rgb(${[...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)})`;
  };
  const behind = (node) => node ? painted(getComputedStyle(node).backgroundColor, behind(node.parentElement)) : "white";
  const luminance = (color) => {
    const parts = color.match(/\\d+/g).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const poor = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility() || node.closest("button:disabled, option")) continue;
    const ground = behind(node);
    const style = getComputedStyle(node);
    const color = painted(node instanceof SVGElement ? style.fill : style.color, ground);
    const [low, high] = [luminance(color), luminance(ground)].sort((one, other) => one - other);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) poor.add(`${node.tagName}.${node.className}: ${contrast.toFixed(2)}`);
  }
  return [...poor];
}"""


@pytest.mark.parametrize("width", [320, 768])
def test_nothing_makes_the_page_scroll_sideways(visit: Visit, width: int) -> None:
    page = visit(width=width, height=640)
    wide = []
    for route in ROUTES:
        page.goto(page.url.partition("#")[0] + f"#{route}")
        page.wait_for_selector(".result:visible, .tile:visible, .part:visible")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            wide.append(route)
    assert wide == []


@pytest.mark.parametrize("label", ["Projects", "What agents delete"])
def test_on_a_phone_a_table_of_the_overview_is_not_cut_off(visit: Visit, label: str) -> None:
    page = visit("/overview", width=360, height=640)
    box = page.get_by_role("region", name=label)
    expect(box.locator("tbody th").first).to_be_visible()
    assert box.evaluate("(node) => node.scrollWidth <= node.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(visit: Visit, scheme: str) -> None:
    page = visit(color_scheme=scheme)
    poor = {}
    for route in sample(ROUTES, 4, scheme):
        page.goto(page.url.partition("#")[0] + f"#{route}")
        page.wait_for_selector(".result:visible, .tile:visible, .part:visible")
        page.keyboard.press("u")
        if found := page.evaluate(_POOR_CONTRAST):
            poor[route] = found
    assert poor == {}


def test_on_a_phone_a_session_takes_the_place_of_the_answers(visit: Visit) -> None:
    page = visit(width=360, height=640)
    page.locator(".result a.title").last.click()
    expect(page.locator("#reader h1")).to_be_visible()
    expect(page.locator("#found")).to_be_hidden()


def test_on_a_phone_filters_open_on_demand(visit: Visit) -> None:
    page = visit(width=360, height=640)
    expect(page.locator("[name=agent]")).to_be_hidden()
    page.get_by_text("Filters", exact=True).click()
    page.select_option("[name=agent]", "codex")
    expect(page.locator(".result")).to_have_count(1)


def test_filters_are_there_again_when_a_narrow_window_is_made_wide(visit: Visit) -> None:
    page = visit(width=360, height=640)
    page.set_viewport_size({"width": 1000, "height": 640})
    expect(page.locator("[name=agent]")).to_be_visible()


def test_on_a_desktop_the_answers_stay_beside_the_session(visit: Visit) -> None:
    page = visit("/?q=lexer", width=1280)
    page.locator(".result a.title").first.click()
    expect(page.locator("#reader h1")).to_be_visible()
    expect(page.locator(".result.open")).to_be_visible()


def test_nothing_moves_where_no_motion_is_wanted(visit: Visit) -> None:
    page = visit("/?q=lexer", reduced_motion="reduce")
    page.locator(".result a.title").first.click()
    expect(page.locator(".turn.hit")).to_have_css("animation-name", "none")
