"""The MCP server on HTTP: one path for callers and one for health checks."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from mcp.server.transport_security import TransportSecuritySettings

import aicx
from aicx.servers.http.guard import AccessPolicy, App, Guard, Rate, Receive, RequestRefused, Scope, Send, answer
from aicx.servers.http.serve import serve_app

PATH = "/mcp"
_HEALTH = "/health"


def serve_http(
    server: Any,
    listening: socket.socket,
    begun: Callable[[], None],
    *,
    token: str | None,
    hosts: frozenset[str],
    per_second: float,
) -> None:
    """Answers on a socket until SIGINT or SIGTERM, then lets what is being answered finish; calls ``begun`` first."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        # Every request stands for itself: nothing is lost when a server starts anew, and nothing piles up.
        stateless_http=True,
        # The guard checks the same and more, and before anything else.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    serve_app(guarded(app, token=token, hosts=hosts, rate=Rate(per_second, 2 * per_second)), listening, begun)


def guarded(app: App, *, token: str | None, hosts: frozenset[str], rate: Rate) -> App:
    """``app`` behind its guard; health is for whoever asks."""

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == _HEALTH:
            await answer(send, 200, {"ok": True, "name": "aicx", "version": aicx.__version__})
        else:
            await app(scope, receive, send)

    rules = AccessPolicy(
        token=token,
        hosts=hosts,
        rate=rate,
        is_open=lambda scope: scope["path"] == _HEALTH and scope["method"] in ("GET", "HEAD"),
        check=_check,
        token_hint="aicx serve says where it lies",  # noqa: S106 - says where, not what
    )
    return Guard(door, rules)


def _check(scope: Scope) -> None:
    if scope["path"] != PATH:
        raise RequestRefused(404, f"there is nothing here; the server answers at {PATH}")
    if scope["method"] != "POST":
        # No stream is kept open for the server's own messages, since it has none; no session is there to delete.
        raise RequestRefused(405, "only POST is answered here", allow="POST")
