"""The page's files: what the server's policy asks of them, and that the page opens when the server is gone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from aicx.servers.dashboard.app import load_page
from tests.corpus.builders import Home
from tests.servers.dashboard.http_client import TOKEN, serving

pytestmark = pytest.mark.needs("web")

FILES = {name: body.decode("utf-8") for name, (body, _) in load_page().items()}


def modules_of(name: str, seen: set[str]) -> set[str]:
    """A module and everything that it imports."""
    if name not in seen:
        seen.add(name)
        for needed in re.findall(r'from "\./([\w-]+\.js)"', FILES[name]):
            modules_of(needed, seen)
    return seen


def test_the_page_has_no_script_or_style_inside_it() -> None:
    html = FILES["index.html"]
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", html) == []


def test_every_module_is_fetched_before_it_is_asked_for() -> None:
    preloaded = re.findall(r'rel="modulepreload" href="/assets/([\w-]+\.js)"', FILES["index.html"])
    assert sorted(preloaded) == sorted(modules_of("main.js", set()) - {"main.js"})


def test_every_module_is_used() -> None:
    used = modules_of("main.js", set()) | modules_of("offline.js", set())
    assert {name for name in FILES if name.endswith(".js")} == used


def test_no_module_makes_markup_from_text() -> None:
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc")
    assert [name for name, text in FILES.items() if name.endswith(".js") and forbidden.search(text)] == []


@pytest.mark.needs("web")
def test_the_open_page_says_what_to_do_when_the_server_is_gone(window: Callable[..., Any], sessions: Home) -> None:
    page = window()
    with serving(**sessions.environ) as (_, address):
        page.goto(f"{address}/#token={TOKEN}")
        page.wait_for_selector(".result")
    page.get_by_role("searchbox").first.fill("beacon")
    page.wait_for_selector(".state code")
    assert page.locator(".state code").inner_text() == "aicx serve page"
