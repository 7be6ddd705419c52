"""The restoring of a session after a compaction, or of the session before: goal, next, failures and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from aicx.config import Settings
from aicx.sessions.pending import Asker, clear, pending, pending_of
from aicx.sessions.restore_block import RestoreAnswer
from aicx.work.place import find_place

MAX_CHARS = 5000
_NOTHING = RestoreAnswer()


def restore(
    settings: Settings,
    folder: Path,
    asker: Asker,
    now: datetime,
    *,
    session: str | None = None,
    check_pending: bool = False,
    max_chars: int = MAX_CHARS,
    source: str = "cli",
    notify: Callable[[str], None] = lambda _: None,
) -> RestoreAnswer:
    """Returns what ``asker`` in ``folder`` needs to go on, in a block of at most ``max_chars``; its mark is cleared.

    Of ``session`` where one is named, else of the one that was compacted, else of the asker's own, else of the latest
    one here. With ``check_pending`` only where a mark is pending, and nothing otherwise. Of two calls at once one gets
    what is pending. Raises NotFound for a folder or a session that is not there, StoreLocked, StoreUnwritable.
    """
    place = find_place(settings, folder)
    if check_pending and session is None and not pending(settings.layout, place, asker, now):
        return _NOTHING
    # Imported here: most often nothing is pending, and a hook asks at every start.
    from aicx.sessions.restoring import Chosen, choose, give_back, named_session

    named = named_session(settings, session) if session else None
    marks = (
        pending_of(settings.layout, place, named.agent, named.session_id)
        if named
        else pending(settings.layout, place, asker, now)
    )
    if check_pending and not marks:
        return _NOTHING
    chosen = Chosen(named, "named") if named else choose(settings, place, asker, marks)
    found = give_back(settings, folder, place, chosen, marks, now, max_chars)
    if marks and not clear(settings, place, marks, now, source=source, notify=notify):
        return _NOTHING if check_pending else found
    return replace(found, cleared=len(marks))
