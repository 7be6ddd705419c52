"""What a tool message says beyond its text, as the sidecar keeps it: redacted, bounded, and only what the log said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aicx.types import Redacted, ToolUse

_MAX_COMMAND = 4000
_MAX_FILES = 50


def tool_facts(tool: ToolUse, redact: Callable[[str], Redacted]) -> dict[str, Any]:
    """The JSON object of `messages[].tool`; a fact that the log does not state is left out."""
    facts: dict[str, Any] = {"name": redact(tool.name).text, "phase": tool.phase}
    if tool.call_id:
        facts["call_id"] = redact(tool.call_id).text
    if tool.command:
        facts["command"] = _bounded(redact(tool.command).text)
    if tool.files:
        facts["files"] = [redact(path).text for path in tool.files[:_MAX_FILES]]
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
    mark = command.rfind("[REDACTED:", max(0, cut - 64), cut)
    return command[: mark if mark >= 0 and command.find("]", mark) >= cut else cut] + "…"
