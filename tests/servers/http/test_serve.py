"""Where a server listens, and by which names it is called."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
import uvicorn

from aicx.errors import UsageError
from aicx.servers.http import serve as http
from aicx.servers.http.guard import LOOPBACK, answer
from aicx.servers.http.serve import is_loopback, listen, names_of

pytestmark = pytest.mark.needs("web")


@pytest.mark.parametrize(
    ("host", "alone"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_only_loopback_is_this_machine_alone(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone


def test_a_server_for_others_has_its_address_and_the_names_it_is_given() -> None:
    assert names_of("192.0.2.7", ("Build.example",)) == LOOPBACK | {"192.0.2.7", "build.example"}
    assert "[2001:db8::1]" in names_of("2001:db8::1", ())


def test_an_allowed_name_is_compared_without_port_and_spelling() -> None:
    named = names_of("fe80::1%eth0", ("Build.example:8044", "[2001:DB8:0::1]:80"))
    assert named == LOOPBACK | {"[fe80::1]", "build.example", "[2001:db8::1]"}


@pytest.mark.parametrize("name", ["", "http://build.example", "ada@build.example", "*", "two names"])
def test_an_allowed_name_that_is_not_a_host_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is not a host name"):
        names_of("127.0.0.1", (name,))


def test_an_answer_is_not_held_back_by_the_network() -> None:
    # Head and body are written apart, and waiting for the client's acknowledgement in between takes 40 ms.
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


class TestHead:
    """How long a request's head may take, with a server in a thread for which that is a fraction of a second."""

    @contextmanager
    def connected(self, seconds: float) -> Iterator[socket.socket]:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            await asyncio.sleep(2 * seconds)
            await answer(send, 200, {"ok": True})

        class Hasty(http._Impatient):
            head_seconds = seconds

        config = uvicorn.Config(app, http=Hasty, log_config=None, lifespan="off", timeout_keep_alive=30)
        server = uvicorn.Server(config)
        with listen("127.0.0.1", 0) as listening:
            running = Thread(target=server.run, kwargs={"sockets": [listening]})
            running.start()
            try:
                with socket.create_connection(listening.getsockname(), timeout=20) as connection:
                    yield connection
            finally:
                server.should_exit = True
                running.join()

    def drip(self, connection: socket.socket) -> None:
        for _ in range(300):
            connection.sendall(b"X: y\r\n")
            time.sleep(0.05)

    def test_a_connection_that_says_nothing_is_closed(self) -> None:
        with self.connected(0.2) as connection:
            assert connection.recv(1) == b""

    def test_a_head_that_drips_in_is_not_waited_for(self) -> None:
        with self.connected(0.3) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\n")
            with pytest.raises(OSError):  # noqa: PT011 - a broken pipe or a reset, as it happens
                self.drip(connection)

    def test_an_answer_may_take_longer_than_the_head(self) -> None:
        with self.connected(0.2) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 200 ")

    def test_a_later_head_on_the_same_connection_is_not_waited_for_either(self) -> None:
        with self.connected(0.2) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            said = b""
            while b'{"ok":true}' not in said:
                said += connection.recv(1000)
            connection.sendall(b"GET ")
            assert connection.recv(1) == b""
