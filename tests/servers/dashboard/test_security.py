"""What every answer tells a browser, and what needs no token."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aicx.servers.dashboard.app import CONTENT_SECURITY_POLICY, needs_token, secured
from aicx.servers.http.guard import LOOPBACK
from tests.servers.dashboard.http_client import TOKEN

pytestmark = pytest.mark.needs("web")

HEADERS = {
    b"content-security-policy": CONTENT_SECURITY_POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}


async def app(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers 200 to whatever gets through."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"Cache-Control", b"public")]})
    await send({"type": "http.response.body", "body": b""})


def ask(path: str, query: bytes = b"", **headers: str) -> tuple[int, dict[bytes, bytes]]:
    """Status and headers of the answer to one request."""
    raw = [(name.encode(), value.encode()) for name, value in ({"host": "localhost"} | headers).items()]
    answers: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        answers.append(message)

    guarded = secured(app, token=TOKEN, hosts=LOOPBACK, per_second=1000)
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "headers": raw}
    asyncio.run(guarded(scope, receive, send))
    return answers[0]["status"], dict(answers[0]["headers"])


SHOWN = {"authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 200),
        ("/api/status", SHOWN, 200),
        ("/api/status", {}, 401),
        ("/", {"origin": "http://evil.example"}, 403),
    ],
)
def test_every_answer_carries_the_headers(path: str, headers: dict[str, str], status: int) -> None:
    found = ask(path, **headers)
    assert found[0] == status
    assert found[1] | HEADERS == found[1]


@pytest.mark.parametrize(
    ("path", "kept"), [("/", b"no-cache"), ("/assets/main.js", b"no-cache"), ("/api/status", b"no-store")]
)
def test_answers_are_not_kept_and_the_page_is_asked_about(path: str, kept: bytes) -> None:
    assert ask(path, **SHOWN)[1][b"cache-control"] == kept


@pytest.mark.parametrize("path", ["/", "/assets/x.js", "/health", "/api/health"])
def test_what_gives_nothing_away_is_open(path: str) -> None:
    assert ask(path)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/api/status",
        "/api/health/",
        "//api/health",
        "/api",
        "/assets",
        "/API/HEALTH",
        "/x",
        "/open/x",
        "/api/regenerate",
    ],
)
def test_everything_else_needs_the_token(path: str) -> None:
    assert needs_token(path)
    assert ask(path)[0] == 401


@pytest.mark.parametrize("query", [b"q=%ff", b"%c3%28=x", b"q=\xff"])
def test_a_query_that_is_no_utf8_is_refused(query: bytes) -> None:
    assert ask("/api/status", query, **SHOWN)[0] == 400


@pytest.mark.parametrize("query", [b"q=1&q=2", b"q&q", b"q=1&%71=2"])
def test_a_parameter_stands_there_once(query: bytes) -> None:
    assert ask("/api/status", query, **SHOWN)[0] == 400


@pytest.mark.parametrize("query", [b"", b"&&", b"a=1&b=1", b"a=b=c", b"=", b"a=%E2%82%AC+x"])
def test_other_queries_are_handed_on(query: bytes) -> None:
    assert ask("/api/status", query, **SHOWN)[0] == 200
