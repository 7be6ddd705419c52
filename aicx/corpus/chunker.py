"""Packs a session's messages into chunks: whole turns where they fit, a short overlap, stable under growth.

A chunk, once another follows it, depends only on messages before the one that closed it. So a log that grows changes
at most the last chunk, and reading it from the start gives the same chunks as reading it as it grew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from aicx.corpus.drafts import MAX_TOKENS, TARGET_TOKENS, Draft, split_draft

OVERLAP_MESSAGES = 2
# Overlap is for orientation; beyond this it would only repeat.
_OVERLAP_TOKENS = 600


@dataclass(frozen=True, slots=True)
class Window:
    """The messages of one chunk: first the ones repeated from the chunk before, then its own."""

    own: list[Draft]
    repeated: list[Draft] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(draft.tokens for draft in (*self.repeated, *self.own))


def pack(drafts: Iterable[Draft]) -> list[Window]:
    """The windows of one segment. Every draft is some window's own exactly once, in order."""
    windows: list[Window] = []
    current = Window([])
    for turn in _turns(drafts):
        size = sum(draft.tokens for draft in turn)
        if current.own and (current.tokens >= TARGET_TOKENS or current.tokens + size > MAX_TOKENS):
            current = _close(windows, current)
        if not current.own and current.tokens + size > MAX_TOKENS >= size:
            current.repeated.clear()
        for draft in turn:
            if current.own and (
                (current.tokens >= TARGET_TOKENS and size > MAX_TOKENS) or current.tokens + draft.tokens > MAX_TOKENS
            ):
                current = _close(windows, current)
            if not current.own and current.tokens + draft.tokens > MAX_TOKENS:
                current.repeated.clear()
            current.own.append(draft)
    if current.own:
        windows.append(current)
    return windows


def _close(windows: list[Window], window: Window) -> Window:
    windows.append(window)
    repeated: list[Draft] = []
    tokens = 0
    for draft in reversed(window.own[-OVERLAP_MESSAGES:]):
        tokens += draft.tokens
        if tokens > _OVERLAP_TOKENS:
            break
        repeated.insert(0, draft)
    return Window([], repeated)


def _turns(drafts: Iterable[Draft]) -> Iterator[list[Draft]]:
    turn: list[Draft] = []
    for draft in drafts:
        if draft.opens_turn and turn:
            yield turn
            turn = []
        turn += split_draft(draft)
    if turn:
        yield turn
