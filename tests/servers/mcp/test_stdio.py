"""`aicx serve` on the standard streams: a client of the SDK, input from a pipe, and signals."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.builders import SESSION, Home
from tests.forked import Piped
from tests.sampling import sample
from tests.servers.mcp.mcp_client import AICX

pytestmark = [pytest.mark.needs("mcp"), pytest.mark.process]

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def search(number: int, **arguments: Any) -> dict[str, Any]:
    params = {"name": "aicx_search", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def piped(*messages: Any, cwd: Path | None = None) -> tuple[list[dict[str, Any]], str]:
    """What is answered to messages from a pipe, in order of their ids, and what is said on stderr."""
    lines = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = Piped(["serve"], os.environ, cwd, **pipes).to_end(b"\n".join(lines) + b"\n")
    assert done.returncode == 0, done.stderr.decode()
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return sorted(answers, key=lambda answer: -1 if answer["id"] is None else answer["id"]), done.stderr.decode()


@pytest.mark.parametrize("mode", sample(["legacy", "auto"], 1, ends=False))  # over HTTP, both
def test_a_client_of_the_sdk_is_answered(environment: Path, mode: str) -> None:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def run() -> Any:
        parameters = StdioServerParameters(command=AICX[0], args=[*AICX[1:], "serve"], env=dict(os.environ))
        async with Client(stdio_client(parameters, sys.__stderr__), mode=mode) as client:
            return await client.call_tool("aicx_search", {"query": "lexer", "structured": True})

    assert asyncio.run(run()).structured_content["items"][0]["session_id"] == SESSION


def test_everything_that_was_asked_is_answered_before_the_end(environment: Path) -> None:
    answers, _ = piped(HELLO, READY, *(search(number, query="lexer", structured=True) for number in range(1, 6)))
    assert [answer["id"] for answer in answers] == list(range(6))
    assert all(answer["result"]["structuredContent"]["results"] for answer in answers[1:])


def test_stdout_holds_nothing_but_messages(environment: Path) -> None:
    noise = (b"this is no message", b"{", b"\xff")
    answers, said = piped(HELLO, READY, *noise, search(1, query=5), search(2, query="lexer"))
    assert ["error" in answer for answer in answers if answer["id"] is not None] == [False, True, False]
    assert "Traceback" not in said


def test_each_line_that_is_no_message_is_answered(environment: Path) -> None:
    lines = [b"{", b"[]", b"null", b'{"id": 1}', b"\xff", b'{"jsonrpc": "2.0", "method": "\\ud800"}']
    [*refused, hello], _ = piped(*lines, HELLO)
    assert [(answer["id"], answer["error"]["code"]) for answer in refused] == [(None, -32700)] * len(lines)
    assert "result" in hello


def test_an_empty_line_is_no_message_to_answer(environment: Path) -> None:
    answers, _ = piped(b"", b"  ", HELLO)
    assert [answer["id"] for answer in answers] == [0]


def test_an_end_without_a_question_is_no_failure(environment: Path) -> None:
    assert piped(b"") == ([], "")


def test_the_folder_it_is_started_in_is_the_one_to_resume(stored: Home, environment: Path) -> None:
    params = {"name": "aicx_resume", "arguments": {"structured": True}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answers, _ = piped(HELLO, READY, call, cwd=stored.work / "orbit")
    assert answers[1]["result"]["structuredContent"]["repo"]["project"] == "ada/orbit"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_though_stdin_is_open(environment: Path, number: signal.Signals) -> None:
    with Piped(["serve"], os.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(10) == 0
