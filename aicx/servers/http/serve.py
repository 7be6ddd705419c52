"""Runs an application on HTTP: the socket, the server around it, and its end."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from aicx.errors import AicxError, UsageError
from aicx.servers.http.guard import LOOPBACK, App, host_of
from aicx.system import when_told_to_end

_MAX_CONNECTIONS = 128
_KEEP_ALIVE_SECONDS = 30
_SECONDS_TO_FINISH = 3
# On every answer, errors included: no page may show one in a frame of its own.
_FRAMING = ("x-frame-options", "DENY")


def serve_app(app: App, listening: socket.socket, begun: Callable[[], None]) -> None:
    """Answers on a socket until SIGINT or SIGTERM, then lets what is being answered finish.

    ``begun`` is called once it answers, and once a signal ends it in order: what it tells may be acted on at once.
    """
    config = uvicorn.Config(
        app,
        http=_Impatient,
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[_FRAMING],
        ws="none",
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
        backlog=1,  # so many asyncio accepts in one go: with more, the first of several processes takes all clients
    )
    asyncio.run(_Uvicorn(config, begun).serve(sockets=[listening]))


class _Uvicorn(uvicorn.Server):  # type: ignore[misc] # typed as Any, like every optional part
    """A server for which a signal to stop is no failure: uvicorn's own sends it to itself again at the end."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        when_told_to_end(asyncio.get_running_loop(), self.handle_exit, signal.SIGTERM, None)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        for listening in sockets or ():
            listening.listen()  # as many may wait again as before
        self._begun()


class _Impatient(H11Protocol):  # type: ignore[misc] # typed as Any, like every optional part
    """A connection that ends when a request's head takes too long: those that wait for one keep others out."""

    head_seconds = 10.0  # for a request's head
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unwatch()

    def send_400_response(self, msg: str) -> None:
        """Answers what is not HTTP, or has too long a head. uvicorn's own answer lacks the headers of all others."""
        headers = [_FRAMING, ("content-type", "text/plain; charset=utf-8"), ("connection", "close")]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=msg.encode()),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event))
        self.transport.close()

    def _watch(self) -> None:
        """Starts the clock with a head's first byte, or the connection, and stops it when the head is there."""
        if self.conn.their_state is not h11.IDLE:
            self._unwatch()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.head_seconds, self.transport.close)

    def _unwatch(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


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
        raise UsageError(f"{host!r} is not an address", hint="write one such as 127.0.0.1, ::1 or localhost") from None


def names_of(host: str, allowed: tuple[str, ...]) -> frozenset[str]:
    """The names under which a server that listens on ``host`` may be called. Raises UsageError for what is no name."""
    # An address may name its network interface, `fe80::1%eth0`; clients do not send that.
    found = {name: host_of(name) or host_of(f"[{name}]") for name in (host.partition("%")[0], *allowed)}
    if wrong := [name for name, parsed in found.items() if parsed is None]:
        raise UsageError(f"{wrong[0]!r} is not a host name", hint="write one such as build.example.org or 192.0.2.7")
    return LOOPBACK | set(filter(None, found.values()))


def log_in_lines(*, debug: bool) -> None:
    """Sets up logging so that an error is one line; its traceback comes with it only where ``debug`` asks for it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("aicx: %(message)s") if debug else _OneLine("aicx: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return " ".join(super().format(record).split())

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        return f"({ei[0].__name__})"
