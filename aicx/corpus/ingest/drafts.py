"""Turns timeline entries into messages ready to be stored, redacted and identifiable, and packs them into chunks.

Whole turns are packed where they fit, with a short overlap. A chunk, once another follows it, depends only on messages
before the one that closed it. So a log that grows changes at most the last chunk, and reading it from the start gives
the same chunks as reading it as it grew.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import AnyStr

from aicx.corpus.catalog.fields import key_number, key_of_text, message_key
from aicx.corpus.files import FORGOTTEN
from aicx.redaction import redact_plain
from aicx.sources.items import Redact, TimelineEntry, ToolUse
from aicx.text import BYTES_PER_TOKEN, estimate_tokens
from aicx.types import PROMPTS
from aicx.values import dataclass

# Target and limit of a chunk, in estimated tokens (DESIGN: about 1,500, at most 2,500).
TARGET_TOKENS = 1500
MAX_TOKENS = 2500
# What a message's heading costs in the chunk.
MESSAGE_TOKENS = 20
# A longer message is cut into parts, so that no chunk has to exceed its limit for it.
_PART_BYTES = (TARGET_TOKENS - 2 * MESSAGE_TOKENS) * BYTES_PER_TOKEN

# Tool text keeps its beginning (what was asked, the first errors) and its end (the verdict); the log has the rest.
_RESULT_HEAD, _RESULT_TAIL = 1600, 800
_CALL_HEAD, _CALL_TAIL = 3000, 800

_MAX_MARK_LENGTH = 64  # of a redaction, `[REDACTED:…]`
# Commands and tools of ours that answer with stored text.
_OWN_COMMAND = re.compile(r"(?:^|[\s;&|(/])aicx\s+(?:search|sessions|steer|show|rank|resume|extract|reports\s+--raw)\b")
_OWN_TOOL = re.compile(r"(?:^|_)aicx_(?:search|steer|rank|resume|read)$")

_BREAKS = (b"\n\n", b"\n", b" ")


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """One message, or one part of a long one, as it will be stored. ``index`` is its place in the session's stream."""

    index: int
    entry: TimelineEntry  # its text is the redacted one
    body: bytes
    key: str
    text_key: str
    redactions: dict[str, int] = field(default_factory=dict)
    part: tuple[int, int] | None = None
    echo: bool = False  # what aicx itself answered in this session: a quotation of older chunks

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.body) + MESSAGE_TOKENS

    @property
    def opens_turn(self) -> bool:
        """A turn begins with a prompt."""
        return self.entry.origin in PROMPTS and (self.part is None or self.part[0] == 1)


@dataclass(slots=True)
class Drafted:
    """The entries drafted so far, as far as drafting those that follow depends on them.

    ``before`` are the identities of entries that another reading had drafted, as `identity_number` gives them in
    order. ``repeats`` says that one of them came again: what it was there cannot be told.
    """

    count: int = 0
    texts: dict[str, list[str]] = field(default_factory=dict)  # of each identity, in order
    own_calls: set[str] = field(default_factory=set)
    before: Sequence[int] = ()
    repeats: bool = False


def identity_number(identity: str) -> int:
    """An identity of an entry, in eight bytes."""
    return key_number(key_of_text(identity))


def draft_entries(
    entries: Iterable[TimelineEntry], redact: Redact, *, whole: bool = True, drafted: Drafted | None = None
) -> Iterator[MessageDraft]:
    """One draft an entry, in order, each with a key that is the same at every reading of the same log.

    The key comes from the agent's record id; where the format has none, from the position in time within the session.
    It never depends on the text, which may hold a secret. A record met again with the same text (a second copy of the
    log) keeps its key; one that only shares the id gets a key of its own.

    Without ``whole`` the entries, too, hold tool text only as it is stored: a session may have read gigabytes.
    """
    drafted = drafted or Drafted()
    for entry in entries:
        index, drafted.count = drafted.count, drafted.count + 1
        redacted = redact_plain(entry.text, redact)
        text = redacted.text.strip()
        if not text:
            continue
        text_key = key_of_text(text)
        identity = entry.record_id or f"{entry.session_id}\0{round(entry.at.timestamp() * 1000)}\0{entry.role}"
        drafted.repeats = drafted.repeats or _is_among(drafted.before, identity)
        texts = drafted.texts.setdefault(identity, [])
        if text_key not in texts:
            texts.append(text_key)
        if number := texts.index(text_key):
            identity = f"{identity}\0{number}"
        echo = _is_echo(entry, drafted.own_calls)
        stored = _shorten(entry, text)
        kept = text if whole else stored
        yield MessageDraft(
            index=index,
            entry=entry if entry.text == kept else replace(entry, text=kept),
            body=stored.encode("utf-8", "replace"),
            key=message_key(entry.agent, identity),
            text_key=text_key,
            redactions=redacted.counts,
            echo=echo,
        )


def _is_among(numbers: Sequence[int], identity: str) -> bool:
    if not numbers:
        return False
    number = identity_number(identity)
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def _is_echo(entry: TimelineEntry, own_calls: set[str]) -> bool:
    """Whether a tool result is aicx's own answer. Remembers in ``own_calls`` the calls that ask for one."""
    tool = entry.tool
    if tool is None or tool.call_id is None:
        return False
    if tool.phase == "call":
        if _OWN_COMMAND.search(tool.command or "") or _OWN_TOOL.search(tool.name):
            own_calls.add(tool.call_id)
        return False
    return tool.call_id in own_calls


def blank_message(draft: MessageDraft) -> MessageDraft:
    """``draft`` with everything it said taken out, for messages the user had forgotten."""
    tool = draft.entry.tool and ToolUse(draft.entry.tool.name, draft.entry.tool.phase, draft.entry.tool.call_id)
    entry = replace(draft.entry, text=FORGOTTEN, tool=tool)
    return replace(draft, entry=entry, body=FORGOTTEN.encode(), text_key=key_of_text(FORGOTTEN), redactions={})


def split_draft(draft: MessageDraft) -> list[MessageDraft]:
    """``draft`` itself, or the parts of a message too long for one chunk, cut at paragraphs, lines or words."""
    if len(draft.body) <= _PART_BYTES:
        return [draft]
    bodies = list(_split_bytes(draft.body))
    return [
        replace(draft, body=body, part=(number, len(bodies)), redactions=draft.redactions if number == 1 else {})
        for number, body in enumerate(bodies, 1)
    ]


def _split_bytes(body: bytes) -> Iterator[bytes]:
    while len(body) > _PART_BYTES:
        cut = next(
            (at + len(mark) for mark in _BREAKS if (at := body.rfind(mark, _PART_BYTES // 2, _PART_BYTES)) > 0),
            _PART_BYTES,
        )
        while body[cut] & 0xC0 == 0x80:  # never inside a character
            cut -= 1
        cut = _before_mark(body, cut, b"[REDACTED:", b"]")
        yield body[:cut]
        body = body[cut:]
    yield body


def _shorten(entry: TimelineEntry, text: str) -> str:
    if entry.role != "tool":
        return text
    call = entry.tool is not None and entry.tool.phase == "call"
    head, tail = (_CALL_HEAD, _CALL_TAIL) if call else (_RESULT_HEAD, _RESULT_TAIL)
    # A cut must save more than its own mark costs.
    if len(text) <= head + tail + 200:
        return text
    first = _before_mark(text, head, "[REDACTED:", "]")
    last = _before_mark(text, len(text) - tail, "[REDACTED:", "]")
    left = text.count("\n", first, last)
    return f"{text[:first]}\n[… {last - first} characters, {left} line breaks left out …]\n{text[last:]}"


def _before_mark(text: AnyStr, at: int, opening: AnyStr, closing: AnyStr) -> int:
    """``at``, or the beginning of the redaction mark that a cut there would tear."""
    start = text.rfind(opening, max(0, at - _MAX_MARK_LENGTH), at + len(opening) - 1)
    return start if 0 <= start < at <= text.find(closing, start) else at


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
