"""The overview: plots with their figures, what is fresh, what is about to be lost, what was taken out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.needs("test")

Visit = Callable[..., Any]


def with_status(page: Any, **changes: Any) -> None:
    """Makes the server's status say something else from now on, and opens the overview anew."""

    def answer(route: Any) -> None:
        fields = route.fetch().json()
        route.fulfill(body=json.dumps(fields | changes), content_type="application/json")

    page.route("**/api/status", answer)
    page.reload()
    page.wait_for_selector(".tile")


def row(page: Any, name: str) -> Any:
    return page.locator("tr", has=page.get_by_role("rowheader", name=name))


def test_the_store_is_counted(visit: Visit) -> None:
    page = visit("/overview")
    tiles = dict(reversed(text.split("\n")) for text in page.locator(".tile").all_inner_texts())
    assert tiles["sessions"] == "3"
    assert tiles["projects"] == "2"


def test_the_plot_of_sessions_has_a_name_and_the_same_figures_as_a_table(visit: Visit) -> None:
    page = visit("/overview")
    expect(page.get_by_role("img", name="Sessions a week by agent")).to_be_visible()
    page.get_by_text("As a table").click()
    rows = page.locator(".plot table tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [["Week of", "claude", "codex"], ["23 Feb 2026", "2", "1"]]


def test_every_project_has_a_row_that_leads_to_its_sessions(visit: Visit) -> None:
    page = visit("/overview")
    page.get_by_role("link", name="ada/apiary").click()
    expect(page.locator(".result")).to_have_count(1)
    expect(page.locator("[name=project]")).to_have_value("ada/apiary")


def test_indexes_say_how_fresh_they_are(visit: Visit) -> None:
    page = visit("/overview")
    expect(row(page, "By words")).to_contain_text("up to date")
    expect(row(page, "By meaning")).to_contain_text("not made")


def test_redactions_are_counted_by_kind(visit: Visit) -> None:
    page = visit("/overview")
    expect(row(page, "github-token")).to_contain_text("1")


def test_logs_about_to_be_deleted_raise_an_alarm_with_the_command_that_saves_them(visit: Visit) -> None:
    page = visit("/overview")
    danger = {"agent": "claude", "says": "deletes logs after 30 days", "logs": 9, "due_soon": 5, "unstored_soon": 4}
    with_status(page, retention=[danger | {"unstored_urgent": 3, "alarm": "critical", "problem": None}])
    expect(page.get_by_role("alert")).to_contain_text("3 logs of claude not stored yet will be deleted within 24 hours")
    expect(page.get_by_role("alert").locator("code")).to_have_text("aicx store")


def test_an_index_that_is_behind_says_so(visit: Visit) -> None:
    page = visit("/overview")
    with_status(page, index={"lexical": {"exists": True, "behind": 7, "size": 1}, "dense": None})
    expect(row(page, "By words")).to_contain_text("7 parts behind")


def test_the_store_can_be_brought_up_to_date_from_the_page(visit: Visit) -> None:
    page = visit("/overview")
    sent: list[tuple[str, str | None]] = []

    def accept(route: Any) -> None:
        sent.append((route.request.method, route.request.headers.get("x-aicx-action")))
        route.fulfill(status=202, body='{"ok": true, "rebuilding": true}', content_type="application/json")

    page.route("**/api/regenerate", accept)
    page.get_by_role("button", name="Store now").click()
    expect(page.get_by_role("status")).to_have_text("Storing what is new")
    assert sent == [("POST", "regenerate")]


def test_an_empty_store_says_how_to_fill_it(visit: Visit) -> None:
    page = visit("/overview")
    nothing = dict.fromkeys(("chunks", "sessions", "projects", "agents", "messages", "bytes"), 0)
    page.route(
        "**/api/overview",
        lambda route: route.fulfill(
            body='{"ok": true, "projects": [], "agents": [], "kinds": [], "weeks": [], "agent_weeks": [], "notes": []}',
            content_type="application/json",
        ),
    )
    page.route(
        "**/api/status",
        lambda route: route.fulfill(
            body=json.dumps(route.fetch().json() | {"stats": nothing | {"first": None, "last": None}}),
            content_type="application/json",
        ),
    )
    page.reload()
    expect(page.locator(".state")).to_contain_text("Nothing is stored yet")
    expect(page.locator(".state code")).to_have_text("aicx store")
