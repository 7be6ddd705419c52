"""The programs that `aicx run` ran in a place, and how they ended: what a new session should know of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from aicx.config import Settings
from aicx.evidence.sessions import SessionRow
from aicx.sources.run.source import AGENT
from aicx.work.attempts import RECENT, attempts_in
from aicx.work.place import WorkPlace
from aicx.work.record import WorkRecord

MAX_RUNS = 3


def ran_since(
    settings: Settings, place: WorkPlace, session: SessionRow | None, until: datetime, but: Sequence[str] = ()
) -> tuple[WorkRecord, ...]:
    """The last run of each command since ``session`` began, the last first, at most MAX_RUNS.

    Where that was a run itself, the last runs count whenever they were. An agent that keeps a log of its own counts
    only where it failed: its log says the rest.
    """
    began = None if session is None or session.agent == AGENT else session.started_at
    found: dict[tuple[str, ...], WorkRecord] = {}
    for record in attempts_in(settings, place.folders, RECENT):
        attempt = record.attempt
        if attempt is None or attempt.exit_code is None or (attempt.session or "").startswith(tuple(but)):
            continue
        if record.updated_at > until or (began is not None and record.updated_at < began):
            continue
        if attempt.agent == AGENT or attempt.exit_code:
            found.setdefault(attempt.stated.commands[-1:], record)
    return tuple(found.values())[:MAX_RUNS]
