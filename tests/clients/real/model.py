"""A model on loopback that calls the tools a test tells it to call, and keeps what clients send it.

It answers in the forms of three APIs: Anthropic's Messages, OpenAI's Responses, and Gemini's generateContent.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from types import TracebackType
from typing import Any, Self

# Of answers. Claude Code takes two messages with one id for parts of one, also where they are of two sessions.
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool. ``namespace`` is the group that Codex offers the tools of an MCP server in."""

    tool: str
    arguments: dict[str, Any]
    namespace: str | None = None


@dataclass
class ScriptedModel:
    """Makes one of ``calls`` in answer to each request that offers tools, and then says that it is done.

    Clients may send a request before their MCP servers have started. While a tool is not offered yet, the model calls
    ``wait`` in place of it, and after ``most_waits`` the tool all the same: requests of Codex name no tool of an MCP
    server, they offer ``tool_search`` to find those.
    ``says`` is what it ends with. ``requests`` holds the bodies of requests that offer tools, ``made`` the calls made,
    both in order.
    """

    calls: Sequence[Call]
    wait: Call
    most_waits: int = 30
    says: str = "Done."
    requests: list[dict[str, Any]] = field(default_factory=list)
    made: list[Call] = field(default_factory=list)

    def __enter__(self) -> Self:
        model = self

        class Handler(_Handler):
            says = model.says

            def answer(self, body: dict[str, Any]) -> tuple[Call | None, int]:
                return model._next(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def _next(self, body: dict[str, Any]) -> tuple[Call | None, int]:
        with self._lock:
            if not body.get("tools"):
                return None, 0
            self.requests.append(body)
            waits = self.made.count(self.wait)
            call = next(iter(self.calls[len(self.made) - waits :]), None)
            if call and waits < self.most_waits and f'"{call.tool}"' not in json.dumps(body["tools"]):
                call = self.wait
            self.made += [call] if call else []
            return call, next(_numbers)


class _Handler(BaseHTTPRequestHandler):
    says = ""

    def answer(self, body: dict[str, Any]) -> tuple[Call | None, int]:
        raise NotImplementedError

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._send([{"data": [], "models": []}], stream=False)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/messages"):
            self._send(_anthropic(body, *self.answer(body), self.says), stream=bool(body.get("stream")))
        elif path.endswith("/responses"):
            self._send(_openai(*self.answer(body), self.says), stream=True)
        elif path.endswith("enerateContent"):
            self._send([_gemini(self.answer(body)[0], self.says)], stream="stream" in path)
        else:
            self._send([{"input_tokens": 10}], stream=False)

    def _send(self, events: Sequence[dict[str, Any]], *, stream: bool) -> None:
        """All ``events`` as a stream of server-sent events, or the last of them as JSON."""
        if stream:
            named = (f"event: {event['type']}\n" if "type" in event else "" for event in events)
            text = "".join(f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(named, events, strict=True))
        else:
            text = json.dumps(events[-1])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if stream else "application/json")
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


def _anthropic(body: dict[str, Any], call: Call | None, number: int, says: str) -> list[dict[str, Any]]:
    """The events of a streamed message; the last is the message as a whole when it is not streamed."""
    block: dict[str, Any] = {"type": "text", "text": ""}
    delta: dict[str, Any] = {"type": "text_delta", "text": says}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number:04d}", "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    message = {"id": f"msg_{number:04d}", "type": "message", "role": "assistant", "model": body.get("model")}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None}
    message |= {"usage": {"input_tokens": 10, "output_tokens": 1}}
    if not body.get("stream"):
        whole = {**block, "input": call.arguments} if call else {**block, "text": says}
        return [{**message, **end, "content": [whole]}]
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]


def _openai(call: Call | None, number: int, says: str) -> list[dict[str, Any]]:
    done = {"type": "output_text", "text": says, "annotations": []}
    item: dict[str, Any] = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": [done]}
    if call:
        item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": call.tool}
        item |= {"arguments": json.dumps(call.arguments)} | ({"namespace": call.namespace} if call.namespace else {})
    item["status"] = "completed"
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    response = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


def _gemini(call: Call | None, says: str) -> dict[str, Any]:
    part = {"functionCall": {"name": call.tool, "args": call.arguments}} if call else {"text": says}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "scripted",
    }
