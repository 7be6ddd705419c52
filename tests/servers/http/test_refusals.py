"""What both servers do with a connection whose request they refuse, over real sockets."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.corpus.builders import Home
from tests.servers.dashboard import http_client as web_asking
from tests.servers.mcp import mcp_client as mcp_asking

pytestmark = [pytest.mark.needs("web", "mcp"), pytest.mark.process]

KB = 1024
OFFERED = 200_000 * KB
TAKEN = 2_000 * KB  # what a request may hold, and what the system's buffers hold of what nobody reads
SHOWN = f"Authorization: Bearer {mcp_asking.TOKEN}"
ENDLESS = f"Content-Length: {OFFERED}"


class Server(NamedTuple):
    name: str
    pid: int
    place: tuple[str, int]

    def connect(self) -> socket.socket:
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * KB)
        connection.settimeout(5)
        connection.connect(self.place)
        return connection

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module", params=["serve", "dashboard"])
def server(stored: Home, request: pytest.FixtureRequest) -> Iterator[Server]:
    asking = mcp_asking if request.param == "serve" else web_asking
    with asking.serving(**stored.environ) as (process, address):
        place = urlsplit(address)
        yield Server(request.param, process.pid, (str(place.hostname), int(place.port or 0)))


def head(line: str, *headers: str, host: str | None = "localhost") -> bytes:
    named = [f"Host: {host}"] if host is not None else []
    return "\r\n".join([f"{line} HTTP/1.1", *named, *headers, "", ""]).encode()


def offer(connection: socket.socket, piece: bytes = b"x" * 64 * KB) -> int:
    """How many bytes of a body of 200 MB are taken before the connection breaks or stands still."""
    taken = 0
    with suppress(OSError):
        while taken < OFFERED:
            taken += connection.send(piece)
    return taken


def read(connection: socket.socket) -> bytes:
    """All that comes until the connection ends; a reset ends it too."""
    said = b""
    with suppress(ConnectionError):
        while part := connection.recv(64 * KB):
            said += part
    return said


REFUSED = {
    "no token": (head("POST /mcp", ENDLESS), 401),
    "wrong token": (head("POST /api/regenerate", "Authorization: Bearer x", ENDLESS), 401),
    "no token, in chunks": (head("POST /mcp", "Transfer-Encoding: chunked"), 401),
    "another site": (head("POST /mcp", SHOWN, "Origin: http://localhost@evil.example", ENDLESS), 403),
    "null origin": (head("POST /mcp", SHOWN, "Origin: null", ENDLESS), 403),
    "another name": (head("POST /mcp", SHOWN, ENDLESS, host="localhost.evil"), 421),
    "no name": (head("POST /mcp", SHOWN, ENDLESS, host=None), 400),
    "two names": (head("POST /mcp", SHOWN, "Host: evil.example", ENDLESS), 400),
    "too large": (head("POST /mcp", SHOWN, ENDLESS), 413),
    "too large to wait for": (head("POST /mcp", SHOWN, ENDLESS, "Expect: 100-continue"), 413),
    "an open address": (head("GET /health", ENDLESS), 413),
    "not HTTP": (b"\x16\x03\x01 hello\r\n\r\n", 400),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_request_is_closed_and_the_rest_of_it_not_read(server: Server, case: str) -> None:
    request, status = REFUSED[case]
    used, began = server.cpu(), time.monotonic()
    with server.connect() as connection:
        connection.sendall(request)
        said = read(connection)
        assert offer(connection) < TAKEN
    assert said.startswith(b"HTTP/1.1 %d " % status), said
    assert b"connection: close\r\n" in said.lower()
    assert b"x-frame-options: deny\r\n" in said.lower()
    assert time.monotonic() - began < 4
    assert server.cpu() - used < 1


@pytest.mark.parametrize(("line", "status"), [("POST /elsewhere", 404), ("PUT /mcp", 405)])
def test_a_wrong_address_or_method_is_closed_too(server: Server, line: str, status: int) -> None:
    # The dashboard has its answer from the application, which is asked only once the request is there.
    expected = status if server.name == "serve" else 413
    with server.connect() as connection:
        connection.sendall(head(line, SHOWN, ENDLESS))
        assert read(connection).startswith(b"HTTP/1.1 %d " % expected)
        assert offer(connection) < TAKEN


def test_a_body_that_turns_out_too_large_is_not_read_further(server: Server) -> None:
    used = server.cpu()
    with server.connect() as connection:
        connection.sendall(head("POST /mcp", SHOWN, "Transfer-Encoding: chunked"))
        taken = offer(connection, b"8000\r\n" + b"x" * 0x8000 + b"\r\n")
        assert read(connection).startswith(b"HTTP/1.1 413 ")
    assert taken < 8 * TAKEN
    assert server.cpu() - used < 1


def test_a_head_without_end_is_not_read(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        assert offer(connection) < 8 * TAKEN


@pytest.mark.parametrize("path", ["/", "/health", "/elsewhere", "/api/status", "/api/status?q=%ff"])
@pytest.mark.parametrize("shown", [SHOWN, "X: y"])
def test_no_answer_may_be_framed(server: Server, path: str, shown: str) -> None:
    with server.connect() as connection:
        connection.sendall(head(f"GET {path}", shown, "Connection: close"))
        said, _, _ = read(connection).lower().partition(b"\r\n\r\n")
    assert said.count(b"x-frame-options: deny") == 1
    assert server.name == "serve" or b"frame-ancestors 'none'" in said
