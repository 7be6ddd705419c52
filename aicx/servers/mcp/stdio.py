"""Runs a server on the standard streams, for the client that started the process."""

from __future__ import annotations

import asyncio
import os
from types import TracebackType
from typing import Any, Self

import anyio
import mcp_types as protocol
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from aicx.system import when_told_to_end

# How long questions may still be answered after stdin has ended.
_SECONDS_TO_FINISH = 60


def serve_stdio(server: Any) -> None:
    """Answers until stdin ends and what was asked by then is answered, or until SIGINT or SIGTERM."""
    asyncio.run(_serve(server))


async def _serve(server: Any) -> None:
    # The thread that reads stdin cannot be woken, so there is no orderly way out. Nothing is left half written:
    # questions write nothing, and each answer is flushed as it is made.
    when_told_to_end(asyncio.get_running_loop(), os._exit, 0)
    async with stdio_server() as (incoming, outgoing):
        asked = _Asked(outgoing)
        onward, relayed = anyio.create_memory_object_stream[Any](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(asked.relay, incoming, onward)
            await server.run(relayed, asked, server.create_initialization_options())
            tasks.cancel_scope.cancel()


class _Asked:
    """Stands between the streams and the server, and holds the end of stdin back while questions are open.

    The server drops what it is answering when its input ends, so that of `printf … | aicx serve` only the quick
    answers would arrive.
    """

    def __init__(self, outgoing: Any) -> None:
        self._outgoing = outgoing
        self._open: set[Any] = set()
        self._none_open = asyncio.Event()
        self._none_open.set()

    async def relay(self, incoming: Any, onward: Any) -> None:
        """Hands on what is read, and the end once everything is answered."""
        async with onward:
            async for item in incoming:
                if isinstance(item, Exception):
                    await self._refuse(item)
                    continue
                message = getattr(item, "message", None)
                if isinstance(message, protocol.JSONRPCRequest):
                    self._open.add(message.id)
                    self._none_open.clear()
                elif isinstance(message, protocol.JSONRPCNotification) and message.method == "notifications/cancelled":
                    self._close((message.params or {}).get("requestId"))
                await onward.send(item)
            with anyio.move_on_after(_SECONDS_TO_FINISH):
                await self._none_open.wait()

    async def _refuse(self, error: Exception) -> None:
        """Answers a line that is no message: whoever wrote it waits. An empty line is none."""
        if isinstance(error, ValidationError) and not str(error.errors()[0]["input"]).strip():
            return
        told = protocol.ErrorData(code=protocol.PARSE_ERROR, message="Parse error: the line is not a JSON-RPC message")
        await self._outgoing.send(SessionMessage(protocol.JSONRPCError(jsonrpc="2.0", id=None, error=told)))

    async def send(self, item: Any) -> None:
        await self._outgoing.send(item)
        if isinstance(item.message, protocol.JSONRPCResponse | protocol.JSONRPCError):
            self._close(item.message.id)

    async def aclose(self) -> None:
        await self._outgoing.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _close(self, request: Any) -> None:
        self._open.discard(request)
        if not self._open:
            self._none_open.set()
