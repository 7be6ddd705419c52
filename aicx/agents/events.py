"""The moments of a session at which a hook is called, and the answer to each in the agent's own JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from aicx.agents import background, wishes
from aicx.agents.records import SetupRecord, has_continuity, of_repository
from aicx.config import Settings, layout_of, load_settings
from aicx.errors import AicxError, NotFound, UsageError
from aicx.git.identity import find_repository
from aicx.paths import Layout

_STORING = ("pre-compact", "session-end", "stop", "notify")
# After these a session does not have what it was told any more.
_FORGETTING = ("compact", "clear")


def answer(event: str, agent: str, given: bytes, say: Callable[[bytes], None] = lambda answer: None) -> bytes:
    """Returns the answer to print for an event; ``given`` is the agent's JSON. Raises whatever goes wrong.

    ``say`` is given answers that are right but not whole, for when the whole one takes too long.
    """
    said = orjson.loads(given) if given.strip() else {}
    folder = Path(_text(said, "cwd") or Path.cwd())
    session = _text(said, "session_id", "thread-id")
    known = _known(layout_of(), folder)
    if not any(agent in record.agents for record in known):
        return b""
    try:
        settings = load_settings()
    except AicxError as error:
        if event == "session-start":
            say(_context(f"aicx cannot say what was done here before: {error}"))
        raise
    if event in _STORING:
        compacting = event == "pre-compact" and not _is_mere_check(agent, said)
        # After these what is open is known, and may be lost.
        if (compacting or event == "session-end") and has_continuity(known):
            log = _text(said, "transcript_path")
            wishes.ask(settings.layout, wishes.Wish(str(folder), agent, session, log, event))
        background.request(settings.layout)
        if compacting:
            _mark(settings, folder, agent, session)
        return b""
    if event != "session-start":
        raise UsageError(f"there is no event {event}")
    from aicx.agents.startup import startup_text

    compacted = _text(said, "source") in _FORGETTING
    on = has_continuity(known)
    text = startup_text(
        settings,
        agent,
        folder,
        datetime.now(UTC),
        session=session,
        compacted=compacted,
        continuity=on,
        say=lambda text: say(_context(text)),
    )
    return _context(text) if text else b""


def _context(text: str) -> bytes:
    context = {"hookEventName": "SessionStart", "additionalContext": text.encode("utf-8", "replace").decode()}
    return orjson.dumps({"hookSpecificOutput": context})


def _known(layout: Layout, folder: Path) -> list[SetupRecord]:
    """Returns what was set up in the repository: the settings of Codex are those of all repositories."""
    try:
        return of_repository(layout, find_repository(folder))
    except (NotFound, UsageError):
        return []


def _is_mere_check(agent: str, said: Mapping[str, Any]) -> bool:
    """Whether there may be no compaction at all: Gemini CLI speaks of one before every request."""
    return agent == "gemini" and _text(said, "trigger") == "auto"


def _mark(settings: Settings, folder: Path, agent: str, session: str | None) -> None:
    """Has what the session is about to lose given back at its next start."""
    # Imported here: it is needed before a compaction only.
    from aicx.lifecycle.identity import Asker
    from aicx.sessions.pending import mark

    mark(settings, folder, Asker.named(agent, session), datetime.now(UTC), source="hook")


def _text(said: Mapping[str, Any], *names: str) -> str | None:
    found = (said.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)
