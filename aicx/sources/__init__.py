"""The table of log sources: one row an agent, one module a row, imported when first needed; and how agents go on.

Other packages name sources of their own under the entry points `aicx.sources` (docs/adding-an-agent.md).
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from aicx.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.metadata import EntryPoint

    from aicx.sources.items import LogSource

RUN = "run"  # the agent of what programs without logs of their own printed under `aicx run`

SOURCES: dict[str, str] = {
    "claude": "aicx.sources.claude",
    "codex": "aicx.sources.codex",
    "gemini": "aicx.sources.gemini",
    "gemini-antigravity": "aicx.sources.antigravity",
    "opencode": "aicx.sources.opencode",
    "copilot": "aicx.sources.copilot",
    "cursor": "aicx.sources.cursor",
    "pi": "aicx.sources.pi",
    RUN: "aicx.sources.run",
}

# How the ids of sessions begin that hold what an agent remembers: it said nothing in them, and takes none up again.
MEMORIES = "memory-"

_REOPEN = {
    "claude": "claude --resume",
    "codex": "codex resume",
    "gemini": "gemini --resume",
    "opencode": "opencode --session",
    "copilot": "copilot --resume",
    "pi": "pi --session",
}
# Agents whose subagents' sessions can only be reached through the session that started them.
_OWNED_SUBAGENTS = ("claude", "gemini")


def load_source(agent: str) -> LogSource:
    """The source for ``agent``; the error names the known ones. That of another package never raises."""
    if agent in SOURCES:
        source: LogSource = import_module(SOURCES[agent]).SOURCE
        return source
    if agent not in _others():
        raise UsageError(f"unknown agent {agent!r}", hint=f"known agents: {', '.join(every_agent())}")
    from aicx.sources.others import OtherSource  # imported here: few have such a package

    return OtherSource(_others()[agent])


def every_agent() -> tuple[str, ...]:
    """Our own agents, and those of other packages: to be asked only where logs are looked for."""
    return (*SOURCES, *_others())


def is_agent(name: str) -> bool:
    """Whether there is a source for the agent ``name``; other packages are looked at only if it is none of ours."""
    return name in SOURCES or name in _others()


@cache
def _others() -> Mapping[str, EntryPoint]:
    """The sources of other packages; one with the name of an agent of ours is left out."""
    from importlib.metadata import entry_points  # imported here: it takes as long as a short command

    named = {point.name: point for point in sorted(entry_points(group="aicx.sources"), key=lambda one: one.name)}
    return {name: point for name, point in named.items() if name not in SOURCES}


def reopen_command(agent: str, session_id: str, lane: str, parent: str | None) -> str | None:
    """The agent's own command that takes up a session again; None where there is none."""
    import shlex  # imported here: every command reads this table

    if lane == "subagent" and agent in _OWNED_SUBAGENTS:
        if parent is None:
            return None
        session_id = parent
    command = None if session_id.startswith(MEMORIES) else _REOPEN.get(agent)
    return f"{command} {shlex.quote(session_id)}" if command else None
