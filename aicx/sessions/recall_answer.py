"""The answer of a recall, made from what was found."""

from __future__ import annotations

from aicx.api.answers.session_recall import RecalledWindow, SessionMatch, SessionRecallAnswer
from aicx.api.fields import taken_from
from aicx.sessions.recall import FoundWindow, Match, Recalled
from aicx.sessions.summary_answer import window_answer


def recalled_answer(found: Recalled) -> SessionRecallAnswer:
    return SessionRecallAnswer(
        status="ok" if found.matches else "no_matches",
        granularity=found.granularity,
        matches=list(map(_match, found.matches)),
        method=found.method,
        missing_words=list(found.missing),
        notes=list(found.notes),
    )


def _match(found: Match) -> SessionMatch:
    return taken_from(found, SessionMatch, windows=[_window(found.session, one) for one in found.windows])


def _window(session: str, found: FoundWindow) -> RecalledWindow:
    return RecalledWindow(window_answer(session, found.window), found.score, list(found.chunks))
