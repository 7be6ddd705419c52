"""The system's own Chromium without a window: started once, for all tests of a run that look at a page."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.parts import program, require


class SharedBrowser:
    """A browser that is set aside while other tests run.

    Playwright's event loop belongs to this thread for as long as its browser is there, and asyncio would refuse every
    other loop. It is made known only while the browser is in use.
    """

    def __init__(self, chromium: Any, loop: asyncio.AbstractEventLoop | None) -> None:
        self._chromium, self._loop = chromium, loop

    @contextmanager
    def in_use(self) -> Iterator[Any]:
        """Playwright's browser, for as long as the block runs."""
        before = asyncio._get_running_loop()
        asyncio._set_running_loop(self._loop)
        try:
            yield self._chromium
        finally:
            asyncio._set_running_loop(before)


@contextmanager
def started(home: Path) -> Iterator[SharedBrowser]:
    """Chromium, with ``home`` as its home folder; skips the test where there is none."""
    require("test", "chromium")
    from playwright import sync_api

    sync_api.expect.set_options(timeout=10_000)
    playwright = sync_api.sync_playwright().start()
    # Root, as in a container, cannot have the sandbox; and what is shown here is our own.
    chromium = playwright.chromium.launch(
        executable_path=program("chromium"),
        # Fewer processes for each page take a quarter less.
        args=["--no-sandbox", "--disable-gpu", "--disable-lcd-text", "--process-per-site", "--in-process-gpu"],
        env={**os.environ, "HOME": str(home)},
    )
    browser = SharedBrowser(chromium, asyncio._get_running_loop())
    asyncio._set_running_loop(None)
    yield browser
    with browser.in_use():
        chromium.close()
        playwright.stop()
    asyncio._set_running_loop(None)
