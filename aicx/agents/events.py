"""What a hook does at each moment of a session, and what it answers in the agent's own JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from aicx.agents import background
from aicx.agents.records import Record, of_repository
from aicx.config import Settings, load_settings
from aicx.errors import NotFound, UsageError
from aicx.git.identity import find_repository

_STORING = ("pre-compact", "session-end", "stop", "notify")
# After these a session does not have what it was told any more.
_FORGETTING = ("compact", "clear")


def answer(event: str, agent: str, given: bytes) -> bytes:
    """What to print for an event; ``given`` is the agent's JSON. Raises for whatever goes wrong."""
    settings = load_settings()
    said = orjson.loads(given) if given.strip() else {}
    folder = Path(_text(said, "cwd") or Path.cwd())
    session = _text(said, "session_id", "thread-id")
    known = _known(settings, folder)
    if not any(agent in record.agents for record in known):
        return b""
    if event in _STORING:
        background.request(settings.layout)
        return b""
    if event != "session-start":
        raise UsageError(f"there is no event {event}")
    from aicx.agents.startup import startup_text

    compacted = _text(said, "source") in _FORGETTING
    text = startup_text(settings, agent, folder, datetime.now(UTC), session=session, compacted=compacted)
    if not text:
        return b""
    context = {"hookEventName": "SessionStart", "additionalContext": text}
    return orjson.dumps({"hookSpecificOutput": context})


def _known(settings: Settings, folder: Path) -> list[Record]:
    """What was set up in the repository: the settings of Codex are those of all repositories."""
    try:
        return of_repository(settings.layout, find_repository(folder))
    except (NotFound, UsageError):
        return []


def _text(said: Mapping[str, Any], *names: str) -> str | None:
    found = (said.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)
