"""Which session asks: as it says itself, or as its agent's environment says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aicx.paths import Layout
from aicx.sessions.identity import identity_at

# What agents put into the environment of the commands they run; seen with the clients of November 2026.
_SESSIONS = (
    ("claude", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID"),
    ("codex", "CODEX_SESSION_ID"),
    ("gemini", "GEMINI_SESSION_ID"),
)
_AGENTS = (("claude", "CLAUDECODE"), ("gemini", "GEMINI_CLI"), ("codex", "CODEX_SANDBOX"))
_OWN = "AICX_SESSION_ID"
TERMINAL = "TERM_SESSION_ID"
NOBODY = "person"
_NO_ID = re.compile(r"[^A-Za-z0-9._-]+")


class Asker(NamedTuple):
    """The agent and its session; ``session`` is None where nothing tells."""

    agent: str
    session: str | None


class Named(NamedTuple):
    """A session and what named it: ``explicit``, an environment variable, or ``identity file``; None for neither."""

    agent: str
    session: str | None
    rule: str | None


def find_session(
    environ: Mapping[str, str], layout: Layout, workspace: Path, agent: str | None = None, session: str | None = None
) -> Named:
    """The session that is meant at ``workspace``, by the first rule that names one.

    What is given, then `AICX_SESSION_ID`, then what an agent put into its commands' environment, then the identity file
    that `aicx sessions open` wrote for this working folder, then the terminal.
    """
    asker = find_asker(environ, agent, session)
    if session:
        return Named(asker.agent, session, "explicit")
    if environ.get(_OWN):
        return Named(asker.agent, environ[_OWN], _OWN)
    if (told := _told_by_agent(environ, agent)) is not None:
        return Named(told[0], environ[told[1]], told[1])
    known = agent or (asker.agent if asker.agent != NOBODY else None)
    if (found := identity_at(layout, workspace, known)) is not None:
        return Named(found.agent_id, found.session_id, "identity file")
    if terminal := _NO_ID.sub("-", environ.get(TERMINAL, "")).strip("-._"):
        return Named(asker.agent, terminal[:100], TERMINAL)
    return Named(asker.agent, None, None)


def find_asker(environ: Mapping[str, str], agent: str | None = None, session: str | None = None) -> Asker:
    """Who asks: what is given, then `AICX_SESSION_ID`, then what an agent put into its commands' environment."""
    if (told := _told_by_agent(environ, agent)) is not None:
        return Asker(told[0], session or environ.get(_OWN) or environ[told[1]])
    named = next((name for name, variable in _AGENTS if environ.get(variable)), NOBODY)
    return Asker(agent or named, session or environ.get(_OWN) or None)


def _told_by_agent(environ: Mapping[str, str], agent: str | None) -> tuple[str, str] | None:
    """The agent, ``agent`` where one is meant, that put its session into the environment, and into which variable."""
    return next((row for row in _SESSIONS if environ.get(row[1]) and agent in (None, row[0])), None)
