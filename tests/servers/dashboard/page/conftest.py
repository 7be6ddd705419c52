"""One browser and one server for all tests of the page, and for each test a window that tells what went wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browsers import SharedBrowser
from tests.corpus.builders import Home
from tests.parts import require
from tests.servers.dashboard.http_client import TOKEN, serving
from tests.servers.dashboard.page.browsers import store_sessions

_WATCH = "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective))"
# What a browser says by itself about an answer that is no success; the page has to say it better.
_NOT_OURS = "Failed to load resource"


@pytest.fixture(scope="session")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return store_sessions(tmp_path_factory.mktemp("sessions"))


@pytest.fixture(scope="session")
def address(browser: SharedBrowser, sessions: Home) -> Iterator[str]:
    require("web")
    with serving("--rate", "10000", **sessions.environ) as (_, found):
        yield found


@pytest.fixture(scope="session")
def _desktop(browser: SharedBrowser) -> Any:
    """What most windows have in common. A context of their own is for those that want something else: it takes long."""
    with browser.in_use() as chromium:
        return _context(chromium)


@pytest.fixture
def window(chromium: Any, _desktop: Any) -> Iterator[Callable[..., Any]]:
    """Makes a window of a given size and taste. At the end, no window may have complained about anything."""
    opened = []
    complaints: list[str] = []

    def make(**options: Any) -> Any:
        page = (_context(chromium, **options) if options else _desktop).new_page()
        opened.append(page.context if options else page)
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        return page

    yield make
    for each in opened:
        each.close()
    assert [said for said in complaints if not said.startswith(_NOT_OURS)] == []


def _context(chromium: Any, width: int = 1280, height: int = 800, **options: Any) -> Any:
    usual = {"viewport": {"width": width, "height": height}, "timezone_id": "UTC"}
    context = chromium.new_context(**{**usual, **options})
    context.add_init_script(_WATCH)
    return context


@pytest.fixture
def visit(window: Callable[..., Any], _desktop: Any, address: str) -> Callable[..., Any]:
    """Opens the page at a route, such as `/?q=lexer`, as somebody who has the token; waits until it shows something."""
    if not _desktop.pages:  # one stays open: Chromium ends what draws a site with its last page, a third of a visit
        _desktop.new_page().goto(f"{address}/health")

    def open_at(route: str = "/", at: str = address, **options: Any) -> Any:
        page = window(**options)
        page.add_init_script(f"sessionStorage.setItem('aicx-token', '{TOKEN}')")
        page.goto(f"{at}/#{route}")
        page.wait_for_selector(":is(.result, .state, .tile, .part, .verdict):visible")
        return page

    return open_at


@pytest.fixture(scope="session")
def exported(sessions: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page as a file."""
    from tests.servers.dashboard.page.exports import export

    path = tmp_path_factory.mktemp("exported") / "aicx.html"
    export(sessions, path)
    return path
