"""What sessions were reminded of, as a holder: no text, but the ids of sessions, and names of files."""

from __future__ import annotations

import os

from aicx.corpus.forget.holding import Erasure
from aicx.engine.holders import Holder
from aicx.refs import session_in
from aicx.regex import searching
from aicx.reminders.ledger import Said, drop


class _Reminders(Holder):
    name = "reminders"
    noun = "reminder"

    def erase(self, erasure: Erasure) -> None:
        plan = erasure.plan
        gone = plan.origins
        matches = searching(plan.pattern) if plan.pattern is not None else None

        def is_forgotten(said: Said) -> bool:
            sessions = (said.agent, said.session), session_in(said.ref)
            if any(session is not None and ":".join(session) in gone for session in sessions):
                return True
            return said.project in plan.projects or (matches is not None and any(map(matches, said)))

        drop(os.fspath(erasure.settings.layout.agents), is_forgotten)


HOLDER = _Reminders()
