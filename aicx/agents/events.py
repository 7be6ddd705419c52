"""What a hook does at each moment of a session, and what it answers in the agent's own JSON."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from aicx.agents import background
from aicx.agents.records import is_registered
from aicx.config import Settings, load_settings
from aicx.errors import NotFound, UsageError
from aicx.git.identity import find_repository
from aicx.paths import Layout, safe_session

_STORING = ("pre-compact", "session-end", "stop", "notify")
# Sessions whose start was seen; one that is older than all of these is taken for a new one.
_MAX_STARTED = 1000


def answer(event: str, agent: str, given: bytes) -> bytes:
    """What to print for an event; ``given`` is the agent's JSON. Raises for whatever goes wrong."""
    settings = load_settings()
    said = orjson.loads(given) if given.strip() else {}
    folder = Path(_text(said, "cwd") or Path.cwd())
    session = _text(said, "session_id", "thread-id")
    if not _is_wanted(settings, agent, folder):
        return b""
    if event in _STORING:
        background.request(settings.layout)
        return b""
    if event != "session-start":
        raise UsageError(f"there is no event {event}")
    source = _text(said, "source") or "startup"
    is_first = _is_first(settings.layout, agent, session)
    if not is_first and source != "compact":
        return b""  # a session that goes on knows what it was told
    from aicx.agents.startup import startup_text

    text = startup_text(settings, agent, folder, datetime.now(UTC), session=session, banner=is_first)
    context = {"hookEventName": "SessionStart", "additionalContext": text}
    return orjson.dumps({"hookSpecificOutput": context})


def _is_wanted(settings: Settings, agent: str, folder: Path) -> bool:
    """Whether the agent was set up in this repository: the settings of Codex are those of all repositories."""
    try:
        return is_registered(settings.layout, find_repository(folder), agent)
    except (NotFound, UsageError):
        return False


def _is_first(layout: Layout, agent: str, session: str | None) -> bool:
    """Whether this is the first start of a session that is seen, which it then was; True where it has no name."""
    if session is None:
        return True
    started = layout.agents / "started"
    started.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        os.close(os.open(started / f"{agent}-{safe_session(session)}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    known = os.listdir(started)
    if len(known) > _MAX_STARTED:
        oldest = sorted(known, key=lambda name: (started / name).stat().st_mtime)
        for name in oldest[: _MAX_STARTED // 2]:
            with suppress(FileNotFoundError):
                (started / name).unlink()
    return True


def _text(said: Mapping[str, Any], *names: str) -> str | None:
    found = (said.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)
