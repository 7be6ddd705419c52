"""Runs an application on HTTP: the socket, the server around it, and its end."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn

from aicx.errors import AicxError, UsageError
from aicx.serving.guard import LOOPBACK, App

_MOST_CONNECTIONS = 128
_KEEP_ALIVE_SECONDS = 30
_SECONDS_TO_FINISH = 3


def serve_app(app: App, listening: socket.socket) -> None:
    """Answers on a socket until SIGINT or SIGTERM, then lets what is being answered finish."""
    config = uvicorn.Config(
        app,
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


def address(listening: socket.socket, name: str | None = None) -> str:
    """Where clients find the server, by ``name`` where it is called otherwise than it listens."""
    host, port, *_ = listening.getsockname()
    host = name or host
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


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
