"""Which session asks: as it says itself, or as its agent's environment says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from aicx.config import Settings
from aicx.errors import NotFound
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sessions.identity import identity_at

# What agents put into the environment of the commands they run; seen with the clients of November 2026.
_SESSIONS = (
    ("claude", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "CODEX_THREAD_ID"),
    ("codex", "CODEX_SESSION_ID"),
    ("gemini", "GEMINI_SESSION_ID"),
    # As other tools set them.
    ("claude", "CLAUDE_SESSION_ID"),
    ("opencode", "OPENCODE_SESSION_ID"),
    ("cursor", "CURSOR_SESSION_ID"),
)
_AGENTS = (("claude", "CLAUDECODE"), ("gemini", "GEMINI_CLI"), ("codex", "CODEX_SANDBOX"))
_OWN = "AICX_SESSION_ID"
TERMINAL = "TERM_SESSION_ID"
NOBODY = "person"
# What agents are called, and the ids that they give their sessions: in neither can a secret be.
_USUAL = re.compile(r"[a-z]{1,15}(?:-[a-z]{1,15})?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NO_ID = re.compile(r"[^A-Za-z0-9._-]+")


class Asker(NamedTuple):
    """The agent and its session; ``session`` is None where nothing tells.

    ``rule`` is what named it where `find_session` was asked: ``explicit``, an environment variable, ``identity file``.
    """

    agent: str
    session: str | None
    rule: str | None = None

    @classmethod
    def named(cls, agent: str, session: str | None) -> Asker:
        """Who asks, by the names that the corpus has for both: what somebody gave may hold a secret."""
        return cls(_clean(agent), session and _clean(session))


def find_session(
    environ: Mapping[str, str], layout: Layout, workspace: Path, agent: str | None = None, session: str | None = None
) -> Asker:
    """The session that is meant at ``workspace``, by the first rule that names one.

    What is given, then `AICX_SESSION_ID`, then what an agent put into its commands' environment, then the identity file
    that `aicx sessions open` wrote for this working folder, then the terminal.
    """
    asker = find_asker(environ, agent, session)
    if session:
        return asker._replace(rule="explicit")
    if environ.get(_OWN):
        return asker._replace(rule=_OWN)
    if (told := _told_by_agent(environ, agent)) is not None:
        return Asker(told[0], asker.session, told[1])
    known = agent or (asker.agent if asker.agent != NOBODY else None)
    if (found := identity_at(layout, workspace, known)) is not None:
        return Asker(found.agent_id, found.session_id, "identity file")
    if terminal := _NO_ID.sub("-", environ.get(TERMINAL, "")).strip("-._"):
        return Asker(asker.agent, terminal[:100], TERMINAL)
    return Asker(asker.agent, None)


def find_asker(environ: Mapping[str, str], agent: str | None = None, session: str | None = None) -> Asker:
    """Who asks: what is given, then `AICX_SESSION_ID`, then what an agent put into its commands' environment.

    A reference to a session names its agent too.
    """
    if session and session.startswith("session:"):
        named, _, session = Ref.parse(session).value.rpartition(":")
        agent = agent or named or None
    if (told := _told_by_agent(environ, agent)) is not None:
        return Asker.named(told[0], session or environ.get(_OWN) or environ[told[1]])
    named = next((name for name, variable in _AGENTS if environ.get(variable)), NOBODY)
    return Asker.named(agent or named, session or environ.get(_OWN) or None)


def find_asker_at(
    settings: Settings, environ: Mapping[str, str], agent: str | None = None, session: str | None = None
) -> Asker:
    """As `find_asker`, where ``session`` may also be ``agent:id``, and the beginning of a stored session's id."""
    if session:
        # Imported here: agents are named by their environment, as a rule.
        from aicx.corpus.catalog.names import id_in, stored_session
        from aicx.corpus.catalog.query import open_catalog

        try:
            with open_catalog(settings.layout) as opened:
                found = stored_session(session, opened.catalog)
        except NotFound:  # nothing is stored yet
            found = None
        if found is not None and agent in (None, found[0]):
            return Asker.named(*found)
        own, plain = session.removeprefix("session:"), id_in(session)
        if own != plain:
            agent, session = agent or own.partition(":")[0], plain
    return find_asker(environ, agent, session)


def _clean(name: str) -> str:
    if _USUAL.fullmatch(name):
        return name
    # Imported here: its rules take a while to compile, and nearly every name is one of the usual.
    from aicx.redaction import redact
    from aicx.sources.items import clean_id

    return clean_id(name, redact)


def _told_by_agent(environ: Mapping[str, str], agent: str | None) -> tuple[str, str] | None:
    """The agent, ``agent`` where one is meant, that put its session into the environment, and into which variable."""
    return next((row for row in _SESSIONS if environ.get(row[1]) and agent in (None, row[0])), None)
