"""Object stores on this machine: one that speaks S3, whose answers a test can make worse, and two of other clouds."""

from __future__ import annotations

import base64
import email.utils
import hashlib
import hmac
import json
import logging
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

Environ = dict[str, Any]
Answer = Iterable[bytes]
# What the XML of Google's store has beside that of S3: a new object by its generation, a copy by a header of its own.
_AS_S3 = {"HTTP_X_GOOG_IF_GENERATION_MATCH": "HTTP_IF_NONE_MATCH", "HTTP_X_GOOG_COPY_SOURCE": "HTTP_X_AMZ_COPY_SOURCE"}
_SIGNED = "AWS4-HMAC-SHA256 Credential=ada/20260301/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=none"
# The account of every Azurite, which its documentation names.
_ACCOUNT = "devstoreaccount1"
_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
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
    from moto.moto_server.werkzeug_app import create_backend_app
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
        # Before each answer moto looks for the service that is asked, which took it a third of the time.
        server._server.app = store = Store(create_backend_app("s3"), environment)
        yield store
    server.stop()


@contextmanager
def gcs_server() -> Iterator[Store]:
    """The same server asked as Google's, whose XML has the requests of S3 but for some headers."""
    with s3_server() as store:
        app = store._app

        def google(environ: Environ, start: Callable[..., Any]) -> Answer:
            environ["HTTP_AUTHORIZATION"] = _SIGNED
            for theirs, own in _AS_S3.items():
                if (value := environ.pop(theirs, None)) is not None:
                    environ[own] = "*" if own == "HTTP_IF_NONE_MATCH" else value
            return app(environ, start)

        store._app = google
        account = {"gcs_base_url": os.environ["AWS_ENDPOINT_URL"], "disable_oauth": True}
        account |= {"client_email": "", "private_key": "", "private_key_id": ""}
        store.environment.setenv("GOOGLE_SERVICE_ACCOUNT_KEY", json.dumps(account))
        store.environment.setenv("GOOGLE_ALLOW_HTTP", "true")
        yield store


@contextmanager
def azure_server() -> Iterator[None]:
    """An Azurite with an empty container ``team`` and the environment that reaches it; skips where it is missing."""
    program = shutil.which("azurite-blob") or pytest.skip("no azurite-blob on PATH; npm install -g azurite")
    options = ("--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence", "--disableTelemetry")
    with subprocess.Popen([program, *options], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            listens = next(line for line in server.stdout if "successfully listens on" in line)
            address = listens.split()[-1]
            _make_container(address)
            with pytest.MonkeyPatch.context() as environment:
                environment.setenv("AZURE_STORAGE_ACCOUNT_NAME", _ACCOUNT)
                environment.setenv("AZURE_STORAGE_ACCOUNT_KEY", _KEY)
                environment.setenv("AZURE_STORAGE_USE_EMULATOR", "true")
                environment.setenv("AZURITE_BLOB_STORAGE_URL", address)
                environment.setenv("NO_PROXY", "127.0.0.1")
                yield
        finally:
            server.kill()


def _make_container(address: str) -> None:
    """Makes the container ``team``, with a request signed as Azure wants it."""
    sent = {"x-ms-date": email.utils.formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
    lines = ["PUT", *[""] * 11, *(f"{name}:{value}" for name, value in sent.items())]
    signed = "\n".join([*lines, f"/{_ACCOUNT}/{_ACCOUNT}/team", "restype:container"])
    key = hmac.new(base64.b64decode(_KEY), signed.encode(), hashlib.sha256).digest()
    sent |= {"Authorization": f"SharedKey {_ACCOUNT}:{base64.b64encode(key).decode()}", "Content-Length": "0"}
    url = f"{address}/{_ACCOUNT}/team?restype=container"
    urllib.request.urlopen(urllib.request.Request(url, method="PUT", headers=sent)).close()
