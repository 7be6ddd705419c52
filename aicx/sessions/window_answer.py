"""`aicx.session_windows/1`: the context windows of a session."""

from __future__ import annotations

from typing import Annotated

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
