"""The application in this process: bugs, damage, crowds and empty stores end in words, and nothing is sent out."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aicx.config import Settings
from aicx.paths import Layout
from aicx.servers.dashboard import endpoints
from aicx.servers.dashboard.app import bare_app
from aicx.servers.http.processes import Busy, Workers
from tests.corpus.builders import Home
from tests.servers.dashboard.http_client import Reply
from tests.servers.mcp.mcp_client import NOW

pytestmark = [pytest.mark.needs("web"), pytest.mark.slow]


def ask(settings: Settings, target: str, method: str = "GET") -> Reply:
    """The answer of an application that is opened for one request and closed after it."""
    path, _, query = target.partition("?")
    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": []}

    async def run() -> list[Any]:
        app = bare_app(settings, lambda: NOW)
        answers: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            answers.append(message)

        async with app.router.lifespan_context(app):
            await app(scope, receive, send)
        return answers

    start, *parts = asyncio.run(run())
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    body = b"".join(part["body"] for part in parts)
    return Reply(
        start["status"], json.loads(body) if headers.get("content-type") == "application/json" else body, headers
    )


def test_a_bug_is_one_line_that_gives_nothing_away(
    stored: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a secret in /home/ada")

    monkeypatch.setattr(endpoints, "browse", broken)
    status, fields, _ = ask(stored.settings, "/api/browse")
    assert status == 500
    assert fields == {"ok": False, "error": "internal error: RuntimeError", "hint": "this is a bug in aicx"}
    assert "/api/browse failed" in caplog.text


def test_a_crowd_is_told_to_come_back(stored: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    async def crowded(*_: Any) -> None:
        raise Busy

    monkeypatch.setattr(Workers, "run", crowded)
    status, fields, headers = ask(stored.settings, "/api/overview")
    assert (status, headers["retry-after"], fields["ok"]) == (503, "1", False)


def test_a_damaged_catalogue_is_replaced_by_the_sidecars_and_named(stored: Home, tmp_path: Path) -> None:
    user = Home(tmp_path)
    shutil.copytree(stored.corpus, user.corpus)
    catalog = user.corpus / "catalog.sqlite"
    whole = catalog.read_bytes()
    catalog.write_bytes(whole[: len(whole) // 8] + b"\xff" * (len(whole) - len(whole) // 8))
    status, fields, _ = ask(user.settings, "/api/browse")
    assert status == 200
    [note] = fields["notes"]
    assert "the catalogue is missing or damaged, so every sidecar was read; `aicx store`" in note
    assert str(user.corpus) not in note


def test_a_missing_catalogue_costs_time_and_is_said(stored: Home, tmp_path: Path) -> None:
    user = Home(tmp_path)
    shutil.copytree(stored.corpus, user.corpus)
    (user.corpus / "catalog.sqlite").unlink()
    for path in ("/api/browse", "/api/overview"):
        assert "every sidecar was read" in ask(user.settings, path).fields["notes"][0]


def test_a_secret_in_a_question_is_in_no_refusal(stored: Home) -> None:
    token = "ghp_" + "a1B2" * 9
    status, fields, _ = ask(stored.settings, f"/api/chunk?id={token}")
    assert status == 404
    assert token not in json.dumps(fields)


def test_a_home_whose_name_is_no_text_can_be_told(stored: Home) -> None:
    home = Path(os.fsdecode(b"/nowhere/\xff"))
    settings = replace(stored.settings, layout=Layout(home))
    assert ask(settings, "/api/status").fields["store_root"] == str(home)


def test_nothing_stored_is_a_state_and_no_failure(home: Path) -> None:
    from aicx.config import load_settings

    assert ask(load_settings(), "/api/status").fields["stats"]["chunks"] == 0
    assert ask(load_settings(), "/api/overview").fields["projects"] == []
    assert ask(load_settings(), "/api/browse")[:2] == (
        404,
        {"ok": False, "error": "nothing is stored in AICX_HOME yet", "hint": "aicx store"},
    )


def test_a_head_of_the_page_is_answered(stored: Home) -> None:
    assert ask(stored.settings, "/", "HEAD").status == 200


def test_an_application_opens_again_after_it_was_closed(stored: Home) -> None:
    app = bare_app(stored.settings, lambda: NOW)

    async def run() -> list[int]:
        found = []
        for _ in range(2):
            async with app.router.lifespan_context(app):
                statuses: list[int] = []

                async def receive() -> Any:
                    return {"type": "http.request", "body": b"", "more_body": False}

                async def send(message: Any, statuses: list[int] = statuses) -> None:
                    statuses.extend([message["status"]] if "status" in message else [])

                scope = {"type": "http", "method": "GET", "path": "/api/browse", "query_string": b"", "headers": []}
                await app(scope, receive, send)
                found += statuses
        return found

    assert asyncio.run(run()) == [200, 200]


def test_telemetry_is_off_whatever_the_environment_says(stored: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")
    app = bare_app(stored.settings, lambda: NOW)
    asked = getattr(app, "_telemetry", {})  # versions before 0.160 or so have none
    assert not any(asked.get(name) for name in ("tracing", "metrics", "logs", "operation_spans", "auto_configure"))
