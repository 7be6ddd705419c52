"""`aicx.session_windows/1`: the context windows of a session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from aicx.fields import taken_from
from aicx.refs import Ref
from aicx.sessions.windows import Window, ref_of
from aicx.text import instant
from aicx.values import dataclass

SCHEMA = "aicx.session_windows/1"


@dataclass(frozen=True, slots=True)
class WindowAnswer:
    """One context window of a session: what its model had in view, from one compaction to the next."""

    ref: Annotated[str, "its reference, such as `session:claude:ID#w2`"]
    index: Annotated[int, "its number in the session, from 0"]
    trigger: Annotated[str, "what began it: `start` or `compact`"]
    from_message: Annotated[int, "the number of its first message in the session, from 0"]
    to_message: Annotated[int, "that of its last"]
    chunks: Annotated[list[str], "references of the chunks with its messages; one may be in two windows"]
    started_at: str
    ended_at: Annotated[str, "time of its last message"]
    messages: int
    tokens: Annotated[int, "what its messages take, at four bytes each"]


@dataclass(frozen=True, slots=True)
class WindowsAnswer:
    """The context windows of a session: every message is in one of them."""

    session: Annotated[str, "its reference"]
    title: str | None
    windows: Annotated[list[WindowAnswer], "the windows, the first one first"]
    notes: list[str]


def window_answer(session: str, window: Window) -> WindowAnswer:
    """A window of the session that has this reference."""
    return taken_from(
        window,
        WindowAnswer,
        ref=ref_of(session, window.index),
        chunks=[str(Ref("chunk", chunk)) for chunk in window.chunks],
        started_at=instant(window.started_at),
        ended_at=instant(window.ended_at),
    )


def windows_of(session: str, windows: Iterable[Window]) -> list[WindowAnswer]:
    return [window_answer(session, window) for window in windows]
