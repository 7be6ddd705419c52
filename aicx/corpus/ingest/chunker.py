"""Packs a session's messages into chunks: whole turns where they fit, a short overlap, stable under growth.

A chunk, once another follows it, depends only on messages before the one that closed it. So a log that grows changes
at most the last chunk, and reading it from the start gives the same chunks as reading it as it grew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from aicx.corpus.ingest.drafts import MAX_TOKENS, TARGET_TOKENS, MessageDraft, split_draft
from aicx.values import dataclass

OVERLAP_MESSAGES = 2
# Overlap is for orientation; beyond this it would only repeat.
_OVERLAP_TOKENS = 600


@dataclass(frozen=True, slots=True)
class ChunkWindow:
    """The messages of one chunk: first the ones repeated from the chunk before, then its own."""

    own: list[MessageDraft]
    repeated: list[MessageDraft] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(draft.tokens for draft in (*self.repeated, *self.own))


def pack(
    drafts: Iterable[MessageDraft], before: Sequence[MessageDraft] = (), *, in_turn: bool = False
) -> list[ChunkWindow]:
    """The windows of one segment. Every draft is some window's own exactly once, in order.

    Where the segment's first windows are packed already, the one before ended with ``before``; with ``in_turn`` in the
    midst of a turn, which then is one that does not fit.
    """
    packer = _Packer(before)
    for number, turn in enumerate(_turns(drafts)):
        size = sum(draft.tokens for draft in turn)
        if number == 0 and in_turn:
            size += MAX_TOKENS
        if packer.open_own and (packer.tokens >= TARGET_TOKENS or packer.tokens + size > MAX_TOKENS):
            packer.close()
        if packer.tokens + size > MAX_TOKENS >= size:
            packer.drop_repeated()
        for draft in turn:
            full = packer.tokens >= TARGET_TOKENS and size > MAX_TOKENS
            if packer.open_own and (full or packer.tokens + draft.tokens > MAX_TOKENS):
                packer.close()
            if packer.tokens + draft.tokens > MAX_TOKENS:
                packer.drop_repeated()
            packer.add(draft)
    if packer.open_own:
        packer.close()
    return packer.windows


class _Packer:
    """The window being filled, with its size kept as it grows, and those that are closed."""

    def __init__(self, before: Sequence[MessageDraft]) -> None:
        self.windows: list[ChunkWindow] = []
        self.open_own: list[MessageDraft] = []
        self._repeated = _overlap(before)
        self.tokens = sum(draft.tokens for draft in self._repeated)

    def add(self, draft: MessageDraft) -> None:
        self.open_own.append(draft)
        self.tokens += draft.tokens

    def drop_repeated(self) -> None:
        """Overlap gives way before anything of the window's own does; once that has come, it stays."""
        if not self.open_own:
            self._repeated = []
            self.tokens = 0

    def close(self) -> None:
        window = ChunkWindow(self.open_own, self._repeated)
        self.windows.append(window)
        self._repeated = _overlap(window.own)
        self.tokens = sum(draft.tokens for draft in self._repeated)
        self.open_own = []


def _overlap(own: Sequence[MessageDraft]) -> list[MessageDraft]:
    repeated: list[MessageDraft] = []
    tokens = 0
    for draft in reversed(own[-OVERLAP_MESSAGES:]):
        tokens += draft.tokens
        if tokens > _OVERLAP_TOKENS:
            break
        repeated.insert(0, draft)
    return repeated


def _turns(drafts: Iterable[MessageDraft]) -> Iterator[list[MessageDraft]]:
    turn: list[MessageDraft] = []
    for draft in drafts:
        if draft.opens_turn and turn:
            yield turn
            turn = []
        turn += split_draft(draft)
    if turn:
        yield turn
