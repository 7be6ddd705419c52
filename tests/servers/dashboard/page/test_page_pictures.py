"""Pictures of the page with the demo's invented sessions. AICX_PICTURES=docs/images keeps them, for the README.

Each page in light, dark and on a phone is compared with a picture of it in `looks`, so small that fonts of another
machine hardly count; AICX_LOOKS=1 AICX_TEST_ALL=1 writes those anew, to be looked at before they are committed.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from aicx.demo import Demo
from aicx.engine.lexical_index import refresh_lexical
from tests.browsers import SharedBrowser
from tests.corpus.builders import Home
from tests.parts import require
from tests.sampling import sample
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


_LOOKS = Path(__file__).parent / "looks"
_SMALL = 8  # times smaller
_MAX_MEAN, _MAX_SPOT = 1.5, 70  # of 255: over all of a picture, and in one of its spots
_ROUTES = {
    "home": ("/", ".result"),
    "search": (f"/?q={_QUESTION.replace(' ', '+')}", ".result"),
    "overview": ("/overview", ".plot"),
    "why": ("/why?project=ada%2Forbit&target=src%2Fnone.py", "#why .state, #why .verdict"),
    "memory": ("/memory", "#memory .state"),
    "work": ("/work?project={project}", ".glance"),
    "session": ("/?session={session}", ".part"),
}
_TASTES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"color_scheme": "light", "width": 390, "height": 760},
}


@pytest.mark.parametrize(("name", "taste"), sample([*product(_ROUTES, _TASTES)], 8))
def test_a_page_looks_as_it_did(window: Callable[..., Any], demo_address: str, name: str, taste: str) -> None:
    page = window(**_TASTES[taste])
    page.clock.set_fixed_time("2026-02-01T12:00:00Z")
    page.add_init_script(f"sessionStorage.setItem('aicx-token', '{TOKEN}')")
    route, shows = _ROUTES[name]
    if "{" in route:
        page.goto(demo_address)
        page.wait_for_selector(".result")
        first = page.locator(".result").first.get_attribute("data-session")
        route = route.format(session=first, project=page.locator(".group a").first.text_content())
    page.goto(f"{demo_address}/#{route}")
    page.wait_for_selector(f":is({shows}):visible")
    page.wait_for_load_state("networkidle")
    taken = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    small = taken.resize((taken.width // _SMALL, taken.height // _SMALL), Image.Resampling.BOX)
    path = _LOOKS / f"{name}-{taste}.png"
    if os.environ.get("AICX_LOOKS"):
        _LOOKS.mkdir(exist_ok=True)
        small.save(path, optimize=True)
    off = ImageStat.Stat(ImageChops.difference(small, Image.open(path).convert("RGB")))
    assert max(off.mean) <= _MAX_MEAN
    assert max(high for _, high in off.extrema) <= _MAX_SPOT
