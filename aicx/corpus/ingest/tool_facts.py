"""The facts of a tool message for its sidecar: bounded in size, and only those that the log states."""

from __future__ import annotations

from typing import Any

from aicx.sources.items import ToolUse

_MAX_COMMAND = 4000
_MAX_FILES = 50
_MAX_MARK_LENGTH = 64  # of a redaction, `[REDACTED:…]`


def tool_facts(tool: ToolUse) -> dict[str, Any]:
    """The JSON object of `messages[].tool`; a fact that the log does not state is left out."""
    facts: dict[str, Any] = {"name": tool.name, "phase": tool.phase}
    if tool.call_id:
        facts["call_id"] = tool.call_id
    if tool.command:
        facts["command"] = _bounded(tool.command)
    if tool.files:
        facts["files"] = list(tool.files[:_MAX_FILES])
    for name in ("failed", "exit_code", "seconds"):
        if (value := getattr(tool, name)) is not None:
            facts[name] = value
    return facts


def identity_of(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts that are left of a message the user had forgotten: which call it was, and nothing of its content."""
    return {name: facts[name] for name in ("name", "phase", "call_id") if name in facts}


def _bounded(command: str) -> str:
    """A script keeps its beginning; the chunk and the log have the rest."""
    if len(command) <= _MAX_COMMAND:
        return command
    cut = _MAX_COMMAND - 1
    mark = command.rfind("[REDACTED:", max(0, cut - _MAX_MARK_LENGTH), cut)
    return command[: mark if mark >= 0 and command.find("]", mark) >= cut else cut] + "…"
