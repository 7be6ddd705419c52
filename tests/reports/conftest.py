"""The page of a folder of reports, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.browsers import SharedBrowser
from tests.reports.builders import harbour

_USUAL: dict[str, Any] = {"viewport": {"width": 1200, "height": 800}, "accept_downloads": True}


@pytest.fixture
def dossier(tmp_path: Path) -> Path:
    """The page of `harbour`."""
    page = tmp_path / "dossier.html"
    assert run(["reports", str(harbour(tmp_path / "reports")), "-o", str(page)]) == 0
    return page


@pytest.fixture(scope="session")
def _usual(browser: SharedBrowser) -> Any:
    """What most pages have in common. One stays open: Chromium ends what draws them with the last."""
    with browser.in_use() as chromium:
        context = chromium.new_context(**_USUAL)
        context.new_page().goto((Path(__file__).parent / "__init__.py").as_uri())
        return context


@pytest.fixture
def show(chromium: Any, _usual: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page from disk; at the end of the test no request, error or violation may have come of any of them."""
    complaints: list[str] = []
    opened = []

    def go(path: Path, address: str = "", **how: Any) -> Any:
        page = (chromium.new_context(**_USUAL, **how) if how else _usual).new_page()
        opened.append(page.context if how else page)
        page.set_default_timeout(10_000)
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda request: request.url.startswith("file://") or complaints.append(request.url))
        page.goto(f"{path.as_uri()}{address}")
        return page

    go.complaints = complaints  # type: ignore[attr-defined]
    yield go
    for each in opened:
        each.close()
    assert not [complaint for complaint in complaints if not complaint.startswith("console: expected")]
