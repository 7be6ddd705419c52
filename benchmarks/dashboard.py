"""How soon the dashboard's page can be used: `python -m benchmarks.dashboard [--home FOLDER | --chunks N] [--runs N]`.

FOLDER is a corpus (AICX_HOME), which is only read; else invented sessions of a seeded generator are stored in a
temporary folder. The server is a process of its own on a free port, the browser Debian's chromium without a window,
driven by Playwright. A figure is the time until something is on the screen, and in brackets how much of it came after
the last byte of data had.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.scale import Writer
from benchmarks.store import aicx, environment_for, measure, scratch

_SEED = 20260301
_CHUNKS_A_SESSION = 29
_TOKEN = "benchmark-on-loopback-only"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Says when what a selector finds is on the screen: one frame to draw it, one to know that it was drawn.
_WATCH = """
window.onScreen = (selector) => new Promise((resolve) => {
  const look = () => document.querySelector(selector)
    ? requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
    : requestAnimationFrame(look);
  look();
});
window.arrived = (path, since = 0) => Math.max(...performance.getEntriesByType("resource")
  .filter((entry) => entry.name.includes(path) && entry.startTime >= since).map((entry) => entry.responseEnd));
"""
_LOADED = """async ([selector, path]) => {
  const shown = await window.onScreen(selector);
  return [shown, shown - window.arrived(path)];
}"""
_AFTER = """async ([act, selector, path]) => {
  const since = performance.now();
  const link = document.querySelector(".result a");
  for (const node of document.querySelectorAll(selector)) node.remove();
  if (act.q) {
    const box = document.querySelector("#question");
    box.value = act.q;
    box.dispatchEvent(new Event("input"));
  } else link.click();
  const shown = await window.onScreen(selector);
  return [shown - since, shown - window.arrived(path, since)];
}"""


@contextmanager
def served(environment: dict[str, str]) -> Iterator[str]:
    command = aicx("dashboard", "--port", "0", "--no-open", "--json", "--rate", "10000")
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["address"]
        finally:
            process.terminate()


def figures(browser: Any, address: str, questions: list[str], runs: int) -> dict[str, list[list[float]]]:
    """Name → for each run, milliseconds until it was on the screen and those of them after the data."""
    found: dict[str, list[list[float]]] = {}
    for run in range(runs):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_init_script(f"sessionStorage.setItem('aicx-token', '{_TOKEN}');{_WATCH}")
        page = context.new_page()

        def keep(name: str, measured: list[float]) -> None:
            found.setdefault(name, []).append(measured)

        page.goto(address, wait_until="commit")
        keep("page opened, newest sessions", page.evaluate(_LOADED, [".result", "/api/browse"]))
        page.wait_for_load_state()
        asked = {"q": questions[run % len(questions)]}
        keep("question typed, answers", page.evaluate(_AFTER, [asked, ".result", "/api/search"]))
        keep("answer opened, session", page.evaluate(_AFTER, [{}, ".part", "/api/detail"]))
        page.goto("about:blank")
        page.goto(f"{address}/#/overview", wait_until="commit")
        keep("page opened, overview", page.evaluate(_LOADED, [".tile", "/api/"]))
        context.close()
    return found


def stored(chunks: int, folder: Path) -> dict[str, str]:
    """Stores invented sessions of about so many chunks; the environment in which they are found."""
    writer = Writer(_SEED)
    for number in range(math.ceil(chunks / _CHUNKS_A_SESSION)):
        writer.session(folder / "home", number)
    environment = environment_for(folder / "home", folder / "aicx")
    measure(aicx("store"), environment)
    return environment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a corpus that is there already")
    parser.add_argument("--chunks", type=int, default=25_000)
    parser.add_argument("--runs", type=int, default=10)
    options = parser.parse_args()

    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if chromium is None:
        raise SystemExit("there is no chromium on this machine")
    with scratch() as folder, sync_playwright() as playwright:
        own = environment_for(folder, options.home.absolute()) if options.home else stored(options.chunks, folder)
        environment = own | {"AICX_HTTP_AUTH_TOKEN": _TOKEN}
        there = json.loads(measure(aicx("state", "--json"), environment).output)["chunks"]
        print(f"{there:,} chunks; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        writer = Writer(_SEED)
        questions = [writer.question() for _ in range(options.runs)]
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with served(environment) as address:
            figures(browser, address, questions, 1)  # opens what the server keeps open
            for name, runs in figures(browser, address, questions, options.runs).items():
                shown, after = (sorted(column) for column in zip(*runs, strict=True))
                print(
                    f"{name:<30} median {statistics.median(shown):4.0f} ms ({statistics.median(after):.0f} after data),"
                    f" slowest {shown[-1]:.0f} ms ({after[-1]:.0f})"
                )
        browser.close()


if __name__ == "__main__":
    main()
