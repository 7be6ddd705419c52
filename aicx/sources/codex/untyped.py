"""Codex records that do not say in today's words what they are: items without a type, and the names of older clients.

Clients and exports of 2025 wrote messages with nothing but a role, and calls as ``tool_call`` and ``tool_result``.
Here such a record becomes the item it would be today; None where nothing in it tells what it is.
"""

from __future__ import annotations

from typing import Any

from aicx.sources.values import object_of, text_of

_ROLES = {"human": "user", "model": "assistant", "agent": "assistant", "ai": "assistant"}
_MESSAGE_TYPES = {
    **dict.fromkeys(("user", "human", "user_message", "input_message"), "user"),
    **dict.fromkeys(("assistant", "agent", "assistant_message", "agent_message"), "assistant"),
}
_CALL_TYPES = frozenset({"tool_call", "tool_use"})
_RESULT_TYPES = frozenset({"tool_result", "tool_output", "function_result"})
_ANSWERED = ("call_id", "tool_call_id", "tool_use_id")
_OUTPUTS = ("output", "result", "content", "stdout", "error")


def typed_item(value: dict[str, Any]) -> dict[str, Any] | None:
    """``value`` as an item of a type that rollouts have today, None when it cannot be told."""
    kind = text_of(value.get("type"))
    if kind in _CALL_TYPES:
        return _call(value)
    if kind in _RESULT_TYPES:
        return _result(value)
    if kind not in (None, "message"):
        role = _MESSAGE_TYPES.get(kind or "")
        return _message(value, role) if role else None
    if value.get("role") == "tool":
        return _result(value)
    if message := _message(value, None):
        return message
    if kind is not None:
        return None
    if text_of(value.get("name")) and any(key in value for key in ("arguments", "input", "args")):
        return _call(value)
    answers = any(text_of(value.get(key)) for key in _ANSWERED) and any(key in value for key in _OUTPUTS)
    return _result(value) if answers else None


def _message(value: dict[str, Any], role: str | None) -> dict[str, Any] | None:
    """A message, whose role and content may stand one level further down."""
    inner = object_of(value.get("message")) or value
    named = text_of(inner.get("role")) or text_of(inner.get("sender")) or role
    content = next(
        (inner[key] for key in ("content", "text", "message") if isinstance(inner.get(key), str | list)), None
    )
    if named is None or content is None:
        return None
    return {**inner, "type": "message", "role": _ROLES.get(named.lower(), named.lower()), "content": content}


def _call(value: dict[str, Any]) -> dict[str, Any]:
    function = object_of(value.get("function"))
    name = text_of(value.get("name")) or text_of(value.get("tool")) or text_of(function.get("name"))
    arguments = next((value[key] for key in ("arguments", "input", "args") if key in value), function.get("arguments"))
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": _call_id(value)}


def _result(value: dict[str, Any]) -> dict[str, Any]:
    output = next((value[key] for key in _OUTPUTS if value.get(key)), "")
    failed = value.get("is_error", value.get("isError"))
    if isinstance(failed, bool) and isinstance(output, str):
        output = {"output": output, "is_error": failed}
    return {"type": "function_call_output", "call_id": _call_id(value), "output": output}


def _call_id(value: dict[str, Any]) -> str | None:
    return next((found for key in (*_ANSWERED, "id") if (found := text_of(value.get(key)))), None)
