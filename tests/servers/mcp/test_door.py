"""Which paths the MCP server has on HTTP, without a network and without what answers behind them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from aicx.servers.http.guard import LOOPBACK, Rate
from aicx.servers.mcp.http import guarded
from tests.servers.mcp.mcp_client import TOKEN

pytestmark = pytest.mark.needs("mcp")


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Stands in for the SDK's application: answers with the body it got."""
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


def ask(
    path: str = "/mcp", method: str = "POST", shown: str = f"Bearer {TOKEN}"
) -> tuple[int, Any, dict[bytes, bytes]]:
    """Status, body and headers of the answer to one request."""
    raw = [(b"host", b"127.0.0.1:8044"), (b"authorization", shown.encode())]
    answers: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"hello", "more_body": False}

    async def send(message: Any) -> None:
        answers.append(message)

    app = guarded(echo, token=TOKEN, hosts=LOOPBACK, rate=Rate(1e6, 1e6))
    asyncio.run(app({"type": "http", "method": method, "path": path, "headers": raw}, receive, send))
    return answers[0]["status"], answers[1]["body"], dict(answers[0]["headers"])


def test_a_call_is_handed_on() -> None:
    assert ask()[:2] == (200, b"hello")


@pytest.mark.parametrize("method", ["GET", "DELETE", "OPTIONS", "PUT"])
def test_only_post_is_answered(method: str) -> None:
    status, _, headers = ask(method=method)
    assert (status, headers[b"allow"]) == (405, b"POST")


@pytest.mark.parametrize("path", ["/", "/mcp/", "/mcp/../x", "/store"])
def test_there_is_one_path(path: str) -> None:
    assert ask(path)[0] == 404


def test_nothing_is_said_without_the_token() -> None:
    assert ask("/store", shown="")[0] == 401


def test_health_needs_no_token_and_gives_nothing_away() -> None:
    status, body, _ = ask("/health", "GET", shown="")
    assert status == 200
    assert set(json.loads(body)) == {"ok", "name", "version"}
