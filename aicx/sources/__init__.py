"""The table of log sources: one row an agent, one module a row, imported when first needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from aicx.errors import UsageError

if TYPE_CHECKING:
    from aicx.sources.items import LogSource

SOURCES: dict[str, str] = {
    "claude": "aicx.sources.claude.source",
    "codex": "aicx.sources.codex.source",
    "gemini": "aicx.sources.gemini.source",
    "gemini-antigravity": "aicx.sources.antigravity.source",
    "opencode": "aicx.sources.opencode.source",
    "copilot": "aicx.sources.copilot.source",
    "pi": "aicx.sources.pi.source",
    "run": "aicx.sources.run.source",
}


def load_source(agent: str) -> LogSource:
    """The source for ``agent``; the error names the known ones."""
    if agent not in SOURCES:
        raise UsageError(f"unknown agent {agent!r}", hint=f"known agents: {', '.join(SOURCES)}")
    source: LogSource = import_module(SOURCES[agent]).SOURCE
    return source
