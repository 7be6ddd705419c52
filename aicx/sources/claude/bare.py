"""Tool records of Claude Code outside a message, which newer versions put into one as a block."""

from __future__ import annotations

from typing import Any

from aicx.sources.values import text_of

_KINDS = {"tool_use": "tool_use", "tool_call": "tool_use", "tool_result": "tool_result", "tool_output": "tool_result"}
_NAMES = ("name", "tool_name", "toolName", "tool")
_INPUTS = ("input", "tool_input", "toolInput", "arguments")
_OUTPUTS = ("content", "output", "tool_output", "toolOutput", "result")
_CALL_IDS = ("tool_use_id", "toolUseId", "toolUseID", "call_id", "id")


def is_tool_record(kind: str) -> bool:
    """Whether a record's type is that of a block."""
    return kind in _KINDS


def tool_block(kind: str, value: dict[str, Any]) -> dict[str, Any] | None:
    """The block that a tool record would be inside a message; None when it holds neither a call nor a result."""
    call_id = next((found for key in _CALL_IDS if (found := text_of(value.get(key)))), None)
    if _KINDS[kind] == "tool_use":
        name = next((found for key in _NAMES if (found := text_of(value.get(key)))), None)
        arguments = next((value[key] for key in _INPUTS if key in value), None)
        if name is None and arguments is None:
            return None
        return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
    content = next((value[key] for key in _OUTPUTS if key in value), None)
    if content is None and call_id is None:
        return None
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": value.get("is_error")}
