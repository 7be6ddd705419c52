"""What a message of a chat in Cursor's database becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from aicx.sources.items import ToolUse
from aicx.sources.records import parse_instant
from aicx.sources.tools import describe_call
from aicx.sources.values import object_of, parse_json, quoted, string_of, text_of
from aicx.sources.voices import speaker_of
from aicx.types import Origin, Role

_USER, _ASSISTANT = 1, 2
_ENDED = {"completed": False, "error": True, "cancelled": True}
# Where the result of a tool keeps what it printed.
_PRINTED = ("output", "contents", "content", "stdout", "result", "text", "error")
_MAX_CODE = 1 << 31


class CursorDraft(NamedTuple):
    """An entry before it has its session and provenance."""

    role: Role
    origin: Origin
    text: str
    suffix: str = ""
    tool: ToolUse | None = None


def drafts_of(message: dict[str, Any], skipped: Counter[str]) -> Iterator[CursorDraft]:
    """The entries of one message: of a person, or of the agent, which thinks, speaks or calls a tool in it."""
    kind, text = message.get("type"), string_of(message.get("text"))
    if kind == _USER:
        if text.strip():
            yield CursorDraft("user", speaker_of(text) or "typed", text)
        else:
            skipped["message without a text"] += 1
        return
    if kind != _ASSISTANT:
        skipped[f"unknown type: {quoted(kind)}"] += 1
        return
    thought, tool = string_of(object_of(message.get("thinking")).get("text")), message.get("toolFormerData")
    if thought.strip():
        yield CursorDraft("reasoning", "agent", thought, "#thinking")
    if text.strip():
        yield CursorDraft("assistant", "agent", text)
    error = string_of(object_of(message.get("errorDetails")).get("message"))
    if error.strip():
        yield CursorDraft("system", "injected", error, "#error")
    if isinstance(tool, dict) and (tool.get("name") or tool.get("toolCallId")):
        yield from _tool(tool, skipped)
    elif not any(one.strip() for one in (thought, text, error)):
        skipped["message without a text"] += 1


def instant_of(message: dict[str, Any]) -> datetime | None:
    """When a message was written; many have no time of their own."""
    timing = object_of(message.get("timingInfo"))
    return parse_instant(message.get("createdAt")) or parse_instant(timing.get("clientRpcSendTime"))


def model_of(message: dict[str, Any], about: dict[str, Any]) -> str | None:
    found = text_of(object_of(message.get("modelInfo")).get("modelName"))
    found = found or text_of(object_of(about.get("modelConfig")).get("modelName"))
    return None if found == "default" else found


def _tool(tool: dict[str, Any], skipped: Counter[str]) -> Iterator[CursorDraft]:
    name, call_id = text_of(tool.get("name")) or "tool", text_of(tool.get("toolCallId"))
    text, use = describe_call(name, _decoded(tool.get("rawArgs")) or _decoded(tool.get("params")), call_id)
    yield CursorDraft("tool", "tool", text, "#call", use)
    status = string_of(tool.get("status"))
    if status and status not in _ENDED:
        return
    result = _decoded(tool.get("result"))
    answer = object_of(result)
    printed = next((said for key in _PRINTED if (said := text_of(answer.get(key)))), None)
    printed = printed or string_of(tool.get("result")) or string_of(tool.get("error"))
    failed = _ENDED.get(status)
    code = answer.get("exitCodeV2", answer.get("exitCode"))
    exit_code = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < _MAX_CODE else None
    use = ToolUse(name, "result", call_id, failed=True if exit_code else failed, exit_code=exit_code)
    text = printed if printed.strip() else status if failed else ""
    if text:
        yield CursorDraft("tool", "tool", text, "#result", use)
    else:
        skipped["empty result"] += 1


def _decoded(value: Any) -> Any:
    """Arguments and results are JSON in a string, or, in some versions, the value itself."""
    if not isinstance(value, str):
        return value
    found = parse_json(value)
    return found if isinstance(found, dict | list) else value or None
