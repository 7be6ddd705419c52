"""`aicx serve --transport http` as a process: a client of the SDK, strangers, and an orderly end."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from aicx.cli import run
from tests.corpus.builders import SESSION, Home, snapshot
from tests.forked import Forked
from tests.servers.mcp.mcp_client import TOKEN, serving

pytestmark = [pytest.mark.needs("mcp"), pytest.mark.process]

CALL = {"name": "aicx_search", "arguments": {"query": "lexer", "structured": True}}


@pytest.fixture(scope="module")
def address(stored: Home) -> Iterator[str]:
    with serving(**stored.environ) as (_, address):
        yield address


def client_of(address: str, work: Any, *, mode: str = "auto", token: str = TOKEN) -> Any:
    """What ``work`` returns; it gets a client of the SDK that shows the token."""
    import httpx2
    from mcp.client.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async def run() -> Any:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http_client:
            transport = streamable_http_client(address, http_client=http_client)
            async with Client(transport, mode=mode) as client:
                return await work(client)

    return asyncio.run(run())


def post(address: str, body: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    """Status and JSON of the answer to one raw request."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=20)
    sent = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    with suppress(ConnectionError):  # a server that refuses the request does not read all of it
        connection.request("POST", place.path, body, sent | headers)
    answer = connection.getresponse()
    found = answer.status, json.loads(answer.read() or b"{}")
    connection.close()
    return found


def message(method: str, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_of_the_sdk_is_answered(address: str, mode: str) -> None:
    result = client_of(address, lambda client: client.call_tool(CALL["name"], CALL["arguments"]), mode=mode)
    assert result.structured_content["items"][0]["session_id"] == SESSION


def test_a_client_without_the_token_is_not(address: str) -> None:
    # What it says of a 401 is its own affair; that it gets nothing is ours.
    with pytest.raises(BaseExceptionGroup):
        client_of(address, lambda client: client.list_tools(), token="wrong")


def test_a_request_stands_for_itself(address: str) -> None:
    # No session has to be opened before, and so none is lost when the server starts anew.
    status, answer = post(address, message("tools/call", **CALL))
    assert status == 200
    assert answer["result"]["structuredContent"]["results"] > 0


def test_invalid_parameters_are_told_over_the_wire(address: str) -> None:
    _, answer = post(address, message("tools/call", name="aicx_search", arguments={"query": "x", "colour": 1}))
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"jsonrpc":"2.0"}', b'{"id":1}', b"\xff\xfe", b"1" * 10_000]
)
def test_what_is_no_message_is_a_refusal(address: str, body: bytes) -> None:
    status, answer = post(address, body)
    assert 400 <= status < 500
    assert "Traceback" not in json.dumps(answer)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
def test_strangers_are_turned_away(address: str, headers: dict[str, str], status: int) -> None:
    assert post(address, message("tools/list"), **headers)[0] == status


def test_a_large_request_is_turned_away(address: str) -> None:
    assert post(address, message("tools/call", **CALL, padding="x" * 1_000_000))[0] == 413


def test_a_flood_is_slowed_down(stored: Home) -> None:
    with serving("--rate", "2", **stored.environ) as (_, address):
        assert {post(address, message("ping"))[0] for _ in range(12)} == {200, 429}


def test_a_served_corpus_stays_as_it_was(stored: Home, address: str) -> None:
    before = snapshot(stored.root.parent)
    post(address, message("tools/call", **CALL))
    assert snapshot(stored.root.parent) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order(stored: Home, number: signal.Signals) -> None:
    with serving(**stored.environ) as (process, address):
        post(address, message("tools/call", **CALL))
        process.send_signal(number)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read().endswith("Stopped.\n")


def test_the_token_is_in_a_file_and_never_in_what_is_said(stored: Home, tmp_path: Path) -> None:
    environ = stored.environ | {"AICX_HOME": str(tmp_path), "AICX_HTTP_AUTH_TOKEN": ""}
    with serving(**environ) as (process, address):
        made = (tmp_path / "auth-token").read_text().strip()
        assert post(address, message("ping"), Authorization=f"Bearer {made}")[0] == 200
        process.terminate()
        assert process.stderr is not None
        said = process.stderr.read()
    assert "auth-token" in said
    assert made not in said


def test_a_port_that_is_taken_is_said_in_a_line(address: str, environment: Path) -> None:
    port = str(urlsplit(address).port)
    with Forked(["serve", "-t", "http", "--port", port], os.environ) as process:
        said = process.stderr.read()
        assert process.wait() == 1
    assert f"cannot listen on 127.0.0.1, port {port}" in said
    assert "Traceback" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
class TestWorkers:
    """A server of two processes."""

    @pytest.fixture
    def server(self, stored: Home) -> Iterator[tuple[Forked, str]]:
        with serving("--workers", "2", **stored.environ) as found:
            yield found

    def workers(self, process: Forked) -> set[int]:
        return {int(one) for one in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()}

    def wait_for(self, holds: Callable[[], bool]) -> None:
        for _ in range(400):
            if holds():
                return
            time.sleep(0.05)
        raise AssertionError("it took more than 20 seconds")

    def test_every_process_gives_the_same_answer(self, server: tuple[Forked, str]) -> None:
        process, address = server
        assert len(self.workers(process)) == 2
        answers = [post(address, message("tools/call", **CALL)) for _ in range(12)]
        assert answers == answers[:1] * 12
        assert answers[0][0] == 200

    def test_clients_that_keep_their_connections_are_shared_among_the_processes(
        self, server: tuple[Forked, str]
    ) -> None:
        process, address = server
        shares = (self.shares_of(16, address, self.workers(process)) for _ in range(5))
        assert any(min(one) >= 2 for one in shares)  # where the cores are busy a process may sleep through some

    def shares_of(self, count: int, address: str, workers: set[int]) -> list[int]:
        """How many of so many connections, all begun at once and kept, each process takes."""
        before = {one: self.open_files(one) for one in workers}
        url = urlsplit(address)
        with ExitStack() as kept:
            for _ in range(count):
                kept.enter_context(socket.create_connection((url.hostname, url.port)))
            self.wait_for(lambda: sum(map(self.open_files, workers)) >= sum(before.values()) + count)
            shares = [self.open_files(one) - before[one] for one in workers]
        self.wait_for(lambda: sum(map(self.open_files, workers)) <= sum(before.values()))
        return shares

    def open_files(self, process: int) -> int:
        return len(list(Path(f"/proc/{process}/fd").iterdir()))

    def test_one_that_is_killed_under_load_is_replaced(self, server: tuple[Forked, str]) -> None:
        process, address = server
        before = self.workers(process)
        with ThreadPoolExecutor(4) as clients:

            def ask() -> int:
                with suppress(ConnectionError, http.client.HTTPException):  # of the one that was killed
                    return post(address, message("tools/call", **CALL))[0]
                return 0

            asked = [clients.submit(ask) for _ in range(24)]
            os.kill(min(before), signal.SIGKILL)
            codes = [one.result() for one in asked]
        assert set(codes) <= {0, 200}
        assert codes.count(0) <= 4  # what it was answering
        self.wait_for(lambda: len(self.workers(process) - {min(before)}) == 2)
        assert {post(address, message("ping"))[0] for _ in range(8)} == {200}

    def test_none_outlives_the_one_that_began_them(self, server: tuple[Forked, str]) -> None:
        process, _ = server
        workers = self.workers(process)
        process.send_signal(signal.SIGKILL)
        self.wait_for(lambda: not any(Path(f"/proc/{one}/root").exists() for one in workers))

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_ends_all_in_order(self, server: tuple[Forked, str], number: signal.Signals) -> None:
        process, address = server
        post(address, message("tools/call", **CALL))
        workers = self.workers(process)
        process.send_signal(number)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read().endswith("Stopped.\n")
        assert not any(Path(f"/proc/{one}/root").exists() for one in workers)


def test_a_client_on_stdio_has_one_process(environment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--workers", "2"]) == 2
    assert "--workers is for http" in capsys.readouterr().err
