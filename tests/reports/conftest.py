"""The page of a folder of reports, in a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.reports.builders import harbour


@pytest.fixture
def dossier(tmp_path: Path) -> Path:
    """The page of `harbour`."""
    page = tmp_path / "dossier.html"
    assert run(["reports", str(harbour(tmp_path / "reports")), "-o", str(page)]) == 0
    return page


@pytest.fixture
def show(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page from disk; at the end of the test no request, error or violation may have come of any of them."""
    complaints: list[str] = []
    contexts = []

    def go(path: Path, address: str = "", **how: Any) -> Any:
        context = chromium.new_context(viewport={"width": 1200, "height": 800}, accept_downloads=True, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda request: request.url.startswith("file://") or complaints.append(request.url))
        page.goto(f"{path.as_uri()}{address}")
        return page

    go.complaints = complaints  # type: ignore[attr-defined]
    yield go
    for context in contexts:
        context.close()
    assert not [complaint for complaint in complaints if not complaint.startswith("console: expected")]
