"""Each page in light, dark and on a phone as axe-core sees it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import sample
from tests.servers.dashboard.http_client import serving
from tests.servers.dashboard.page.browsers import LEXER
from tests.servers.dashboard.page.memories import Remembered

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]
LOOKS = ({}, {"color_scheme": "dark"}, {"width": 390, "height": 760})
ROUTES = ("/", "/?q=lexer", f"/?session={LEXER}", "/overview", "/why")
# What is serious, by rule, with the elements that break it.
_FOUND = """async () => Object.fromEntries((await axe.run(document)).violations
  .filter(({ impact }) => ["serious", "critical"].includes(impact))
  .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core, which a package for Playwright brings."""
    if find_spec("axe_playwright_python") is None:
        pytest.skip("not installed: axe-playwright-python")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def findings(page: Any, script: str) -> dict[str, Any]:
    page.evaluate(script)  # not as an element, which the page's policy refuses
    page.keyboard.press("u")
    found: dict[str, Any] = page.evaluate(_FOUND)
    return found


@pytest.mark.parametrize("look", LOOKS, ids=["light", "dark", "phone"])
def test_axe_finds_nothing_serious(visit: Visit, axe: str, look: dict[str, Any]) -> None:
    page = visit(**look)
    poor = {}
    for route in sample(ROUTES, 3, look):
        page.goto(page.url.partition("#")[0] + f"#{route}")
        page.wait_for_selector(":is(.result, .tile, .part, .state, .recent):visible")
        if found := findings(page, axe):
            poor[route] = found
    assert poor == {}


@pytest.mark.parametrize("look", sample(LOOKS, 2, ends=False), ids=str)
def test_axe_finds_nothing_serious_in_work(visit: Visit, axe: str, worked_address: str, look: dict[str, Any]) -> None:
    page = visit("/work", at=worked_address, **look)
    page.get_by_text("When was it").click()
    page.wait_for_selector(".timeline svg")
    assert findings(page, axe) == {}


def test_axe_finds_nothing_serious_in_memory(visit: Visit, axe: str, tmp_path: Path) -> None:
    own = Remembered(tmp_path)
    with serving("--rate", "10000", **own.environ) as (_, address):
        page = visit("/memory", at=address)
        page.wait_for_selector(".memo")
        assert findings(page, axe) == {}


def test_an_image_without_words_is_found(visit: Visit, axe: str) -> None:
    page = visit()
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    assert "image-alt" in findings(page, axe)
