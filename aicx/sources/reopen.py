"""How each agent takes up one of its own sessions again."""

from __future__ import annotations

import shlex

# How the ids of sessions begin that hold what an agent remembers: it said nothing in them, and takes none up again.
MEMORIES = "memory-"

_COMMANDS = {
    "claude": "claude --resume",
    "codex": "codex resume",
    "gemini": "gemini --resume",
    "opencode": "opencode --session",
    "copilot": "copilot --resume",
    "pi": "pi --session",
}
# Agents whose subagents' sessions can only be reached through the session that started them.
_OWNED_SUBAGENTS = ("claude", "gemini")


def reopen_command(agent: str, session_id: str, lane: str, parent: str | None) -> str | None:
    """The agent's own command that takes up a session again; None where there is none."""
    if lane == "subagent" and agent in _OWNED_SUBAGENTS:
        if parent is None:
            return None
        session_id = parent
    command = None if session_id.startswith(MEMORIES) else _COMMANDS.get(agent)
    return f"{command} {shlex.quote(session_id)}" if command else None
