"""Pictures of the page with the demo's invented sessions. AICX_PICTURES=docs/images keeps them, for the README."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from aicx.demo import Demo
from aicx.engine.lexical_index import refresh_lexical
from tests.browsers import SharedBrowser
from tests.corpus.builders import Home
from tests.parts import require
from tests.servers.dashboard.http_client import TOKEN, serving

pytestmark = pytest.mark.needs("test")

_MAX = 120_000
_COLORS = 256  # enough for a page of a few colours, at a third of the size
_QUESTION = "why did pier_reader break the deploy"


@pytest.fixture(scope="module")
def demo_address(browser: SharedBrowser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    user = Home(tmp_path_factory.mktemp("demo"))
    Demo(user.root).set_up()
    user.store()
    refresh_lexical(user.settings, lambda line: None)
    require("web")
    with serving(**user.environ) as (_, address):
        yield address


@pytest.fixture
def picture(window: Callable[..., Any], demo_address: str, tmp_path: Path) -> Callable[..., int]:
    """Takes a picture of a route and returns its size in bytes; ``prepare`` is done to the page before."""

    def take(name: str, route: str, shows: str, prepare: Callable[[Any], None] = lambda page: None, **look: Any) -> int:
        page = window(**look)
        page.goto(f"{demo_address}/#token={TOKEN}")
        page.wait_for_selector(".result")
        page.goto(f"{demo_address}/#{route}")
        prepare(page)
        page.wait_for_selector(f"{shows}:visible")
        page.wait_for_load_state("networkidle")
        folder = Path(os.environ.get("AICX_PICTURES") or tmp_path)
        path = folder / f"dashboard-{name}.png"
        taken = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
        taken.quantize(_COLORS, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
        return path.stat().st_size

    return take


def open_first(page: Any) -> None:
    page.wait_for_selector(".why meter")
    page.locator(".result a.title").first.click()


def test_a_picture_of_answers_and_a_session_is_small(picture: Callable[..., int]) -> None:
    size = picture("search", f"/?q={_QUESTION.replace(' ', '+')}", ".turn.hit", open_first, height=760)
    assert 10_000 < size < _MAX


def test_a_picture_of_the_overview_is_small(picture: Callable[..., int]) -> None:
    size = picture("overview", "/overview", ".plot", color_scheme="dark", width=1000, height=760)
    assert 10_000 < size < _MAX


def test_a_picture_of_a_phone_is_small(picture: Callable[..., int]) -> None:
    size = picture("phone", f"/?q={_QUESTION.replace(' ', '+')}", ".result", color_scheme="dark", width=390, height=760)
    assert 10_000 < size < _MAX
