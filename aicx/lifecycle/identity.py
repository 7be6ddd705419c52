"""Which session asks: as it says itself, or as its agent's environment says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

# What agents put into the environment of the commands they run; seen with the clients of November 2026.
_SESSIONS = (
    ("claude", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID"),
    ("codex", "CODEX_SESSION_ID"),
    ("gemini", "GEMINI_SESSION_ID"),
)
_AGENTS = (("claude", "CLAUDECODE"), ("gemini", "GEMINI_CLI"), ("codex", "CODEX_SANDBOX"))
_OWN = "AICX_SESSION_ID"
NOBODY = "person"


class Asker(NamedTuple):
    """The agent and its session; ``session`` is None where nothing tells."""

    agent: str
    session: str | None


def find_asker(environ: Mapping[str, str], agent: str | None = None, session: str | None = None) -> Asker:
    """Who asks: what is given, then `AICX_SESSION_ID`, then what an agent put into its commands' environment."""
    for name, variable in _SESSIONS:
        if environ.get(variable) and agent in (None, name):
            return Asker(agent or name, session or environ.get(_OWN) or environ[variable])
    named = next((name for name, variable in _AGENTS if environ.get(variable)), NOBODY)
    return Asker(agent or named, session or environ.get(_OWN) or None)
