"""A server that speaks S3 on this machine, whose answers a test can make worse."""

from __future__ import annotations

import logging
import os
import signal
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

Environ = dict[str, Any]
Answer = Iterable[bytes]
_SAYS = "<?xml version='1.0'?><Error><Code>{}</Code><Message>{}</Message></Error>"


class Store:
    """What stands before the server. ``trouble`` is given the number of each request, from 1, and the request; what it
    returns is done to that one."""

    def __init__(self, app: Callable[..., Answer], environment: pytest.MonkeyPatch) -> None:
        self._app = app
        self.environment = environment
        self.trouble: Callable[[int, Environ], Callable[..., Answer] | None] | None = None
        self._numbers = count(1)

    def __call__(self, environ: Environ, start: Callable[..., Any]) -> Answer:
        wanted = self.trouble(next(self._numbers), environ) if self.trouble else None
        return wanted(self._app, environ, start) if wanted else self._app(environ, start)

    @contextmanager
    def troubled(self, trouble: Callable[[int, Environ], Callable[..., Answer] | None]) -> Iterator[None]:
        self._numbers, self.trouble = count(1), trouble
        try:
            yield
        finally:
            self.trouble = None


def refused(status: str, code: str, message: str) -> Callable[..., Answer]:
    """The server says no, as S3 does."""

    def answer(_: Any, environ: Environ, start: Callable[..., Any]) -> Answer:
        environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        start(status, [("Content-Type", "application/xml")])
        return [_SAYS.format(code, message).encode()]

    return answer


SLOW_DOWN = refused("503 Slow Down", "SlowDown", "Please reduce your request rate.")
EXPIRED = refused("403 Forbidden", "ExpiredToken", "The provided token has expired.")


def late(seconds: float) -> Callable[..., Answer]:
    """The answer comes, but only after a while."""

    def answer(app: Callable[..., Answer], environ: Environ, start: Callable[..., Any]) -> Answer:
        time.sleep(seconds)
        return app(environ, start)

    return answer


def half(app: Callable[..., Answer], environ: Environ, start: Callable[..., Any]) -> Answer:
    """Half of a body whose whole length was announced, and then the connection ends."""
    body = b"".join(app(environ, start))
    return [body[: len(body) // 2]]


def killed(pid: int, *, before: bool) -> Callable[..., Answer]:
    """The process that asks is killed: before the store did what it asked for, or before it was told so."""

    def answer(app: Callable[..., Answer], environ: Environ, start: Callable[..., Any]) -> Answer:
        if before:
            os.kill(pid, signal.SIGKILL)
            return refused("503 Slow Down", "SlowDown", "gone")(app, environ, start)
        body = app(environ, start)
        os.kill(pid, signal.SIGKILL)
        return body

    return answer


@contextmanager
def s3_server() -> Iterator[Store]:
    """The server with an empty bucket ``team``, and the environment that reaches it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "ada",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "NO_PROXY": "127.0.0.1",
        }.items():
            environment.setenv(name, value)
        # Its buckets belong to the process, also those of a server that was stopped.
        for path, method in (("moto-api/reset", "POST"), ("team", "PUT")):
            urllib.request.urlopen(urllib.request.Request(f"http://{host}:{port}/{path}", method=method)).close()
        assert server._server is not None
        server._server.app = store = Store(server._server.app, environment)
        yield store
    server.stop()
