"""The answer of a recall, made from what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from aicx.fields import taken_from
from aicx.sessions.recall import FoundWindow, Match, Recalled
from aicx.sessions.summary_answer import window_answer
from aicx.sessions.window_answer import WindowAnswer
from aicx.values import dataclass

SCHEMA = "aicx.session_recall/1"


@dataclass(frozen=True, slots=True)
class RecalledWindow:
    """A window that holds answers."""

    window: Annotated[WindowAnswer, "the window"]
    score: Annotated[float, "of its chunks together"]
    chunks: Annotated[list[str], "references of its chunks that answer, best first"]


@dataclass(frozen=True, slots=True)
class SessionMatch:
    """An answer."""

    ref: Annotated[str, "of the session, the window or the chunk, as was asked for"]
    session: Annotated[str, "reference of its session"]
    score: Annotated[float, "compares it with the other answers to this question"]
    tier: Annotated[str, "how much of the question it has, as in `aicx search`"]
    title: Annotated[str | None, "of the session"]
    project: str
    started_at: Annotated[str, "when its best chunk begins"]
    lines: Annotated[list[str], "what fits the question"]
    windows: Annotated[list[RecalledWindow], "the windows that it is in, or that are in it, each with its chunks"]


@dataclass(frozen=True, slots=True)
class SessionRecallAnswer:
    """Sessions, windows or chunks that answer a question, best first."""

    status: Annotated[str, "`ok` or `no_matches`"]
    granularity: Annotated[str, "`session`, `window` or `chunk`"]
    matches: Annotated[list[SessionMatch], "the sessions, the best first"]
    method: Annotated[
        Mapping[str, Any],
        "how they were found: `backend`, `rankers`, and `fallback_reason` where something answered in another's place",
    ]
    missing_words: Annotated[list[str], "words of the question that occur nowhere"]
    notes: list[str]


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
