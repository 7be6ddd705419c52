"""Ways to ask the dashboard in tests: a process of its own, and requests with every byte as the test wants it."""

from __future__ import annotations

import http.client
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from tests.forked import Forked

# aicx with the embedder for tests beside its own.
AICX = [sys.executable, "-m", "tests.embedder"]
TOKEN = "a-token-for-tests-alone"


class Reply(NamedTuple):
    status: int
    fields: Any  # the body as JSON; as bytes where it is none
    headers: dict[str, str]


@contextmanager
def serving(*options: str, **environ: str) -> Iterator[tuple[Forked, str]]:
    """A dashboard in a process of its own, and its address."""
    command = ["dashboard", "--port", "0", "--no-open", "--json", *options]
    with Forked(command, {**os.environ, "AICX_HTTP_AUTH_TOKEN": TOKEN, **environ}) as process:
        try:
            first = process.stdout.readline()
            assert first, process.stderr.read()
            yield process, json.loads(first)["address"]
        finally:
            process.terminate()


def get(address: str, path: str, /, **asked: Any) -> Reply:
    """The answer to a question; parameters are written as a browser writes them."""
    query = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in asked.items())
    return request(address, "GET", f"{path}?{query}" if query else path)


def request(address: str, method: str, target: str, body: bytes = b"", **headers: str | None) -> Reply:
    """The answer to one request for ``target`` as it stands. Headers set to None are not sent."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    sent = {"Authorization": f"Bearer {TOKEN}"} | {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.putrequest(method, target, skip_host="Host" in sent)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        with suppress(ConnectionError):  # a server that refuses the request does not read all of it
            connection.endheaders(body or None)
        answer = connection.getresponse()
        raw = answer.read()
    finally:
        connection.close()
    found = {name.lower(): value for name, value in answer.getheaders()}
    is_json = found.get("content-type") == "application/json"
    return Reply(answer.status, json.loads(raw) if is_json else raw, found)
