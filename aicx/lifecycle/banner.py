"""Which sessions had their banner: each has it once."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from aicx.paths import Layout, safe_session

# Sessions whose start was seen; one that is older than all of these is taken for a new one.
_MAX_STARTED = 1000


def is_first_start(layout: Layout, agent: str, session: str | None, most: int = _MAX_STARTED) -> bool:
    """Whether this is the first start of a session that is seen, which it then was; True where it has no name.

    ``most`` sessions are remembered.
    """
    if session is None:
        return True
    mark = _mark(layout, agent, session)
    started = mark.parent
    started.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    known = os.listdir(started)
    if len(known) > most:
        oldest = sorted(known, key=lambda name: (started / name).stat().st_mtime)
        for name in oldest[: most // 2]:
            with suppress(FileNotFoundError):
                (started / name).unlink()
    return True


def was_started(layout: Layout, agent: str, session: str | None) -> bool:
    """Whether a start of the session was seen before; nothing is written."""
    return session is not None and _mark(layout, agent, session).exists()


def _mark(layout: Layout, agent: str, session: str) -> Path:
    return layout.agents / "started" / f"{safe_session(agent)}-{safe_session(session)}"
