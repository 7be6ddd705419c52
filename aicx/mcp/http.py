"""Runs a server on HTTP, behind its guard."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from aicx.errors import AicxError, UsageError
from aicx.mcp.guard import LOOPBACK, PATH, Guard, Rate

_MOST_CONNECTIONS = 128
_KEEP_ALIVE_SECONDS = 30
_SECONDS_TO_FINISH = 3


def serve_http(
    server: Any, listening: socket.socket, *, token: str | None, hosts: frozenset[str], per_second: float
) -> None:
    """Answers on a socket until SIGINT or SIGTERM, then lets what is being answered finish."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        # Every request stands for itself: nothing is lost when a server starts anew, and nothing piles up.
        stateless_http=True,
        # The guard checks the same and more, and before anything else.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    config = uvicorn.Config(
        Guard(app, token=token, hosts=hosts, rate=Rate(per_second, 2 * per_second)),
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    asyncio.run(_Uvicorn(config).serve(sockets=[listening]))


class _Uvicorn(uvicorn.Server):  # type: ignore[misc] # typed as Any, like every optional part
    """A server for which a signal to stop is no failure: uvicorn's own sends it to itself again at the end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one. Raises AicxError for an address that cannot be had."""
    # The protocol is named because asyncio switches off Nagle's delay, 40 ms an answer, only where it is.
    listening = socket.socket(
        socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise AicxError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}", hint="choose another --port or --host"
        ) from error
    return listening


def address(listening: socket.socket) -> str:
    """Where clients find the server."""
    host, port, *_ = listening.getsockname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there. Raises UsageError for what is no address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        raise UsageError(f"{host!r} is no address", hint="write one such as 127.0.0.1, ::1 or localhost") from None


def names_of(host: str, allowed: tuple[str, ...]) -> frozenset[str]:
    """The names under which a server that listens on ``host`` may be called."""
    own = f"[{host}]" if ":" in host else host
    return LOOPBACK | {name.lower() for name in (own, *allowed)}
