"""The context windows of a session: what its model had in view at once, from one compaction to the next.

A view of the stored chunks: every message is in exactly one window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from itertools import pairwise
from typing import Annotated, Any, Literal

from aicx.corpus.catalog.fields import key_of_text
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import StoredText, load_markdown, load_sidecar
from aicx.errors import CorpusDamaged, NotFound
from aicx.evidence import Step
from aicx.evidence.statements import COMPACTION
from aicx.fields import taken_from
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sources.items import CONTEXT_COMPACTED
from aicx.sources.voices import is_recap
from aicx.text import BYTES_PER_TOKEN, instant
from aicx.values import dataclass

Trigger = Literal["start", "compact"]
# How a log tells that the context was compacted: with what took its place, or only that it was.
Compaction = Literal["summary", "notice"]
_NOTICE = key_of_text(CONTEXT_COMPACTED)
# The agent that also sums up for a person who was away, which takes nothing from its context. Longer texts, in bytes,
# are no such recap.
_TELLS_RECAPS, _SHORT = "claude", 2400


@dataclass(frozen=True, slots=True)
class Window:
    """One context window. ``from_message`` and ``to_message`` are numbers in the session, from 0, both inside.

    ``chunks`` are the ids of the chunks that hold its messages; one in which a compaction falls is in two windows.
    ``tokens`` is what its messages take, at four bytes each. ``trigger`` is what began it.
    """

    index: int
    trigger: Trigger
    from_message: int
    to_message: int
    chunks: tuple[str, ...]
    started_at: datetime
    ended_at: datetime
    messages: int
    tokens: int


@dataclass(slots=True)
class _Message:
    """A message of the session. One that was too long for a chunk is in several."""

    at: datetime
    compaction: Compaction | None
    size: int = 0  # bytes
    chunks: dict[str, None] = field(default_factory=dict)


def ref_of(session: str, window: int) -> str:
    """The reference of a window of the session that has this reference."""
    return f"{session}#w{window}"


def read_windows(layout: Layout, paths: Iterable[str]) -> tuple[tuple[Window, ...], list[str]]:
    """The windows of the session whose chunks are at ``paths``, and notes on chunks that cannot be read."""
    messages: list[_Message] = []
    notes: list[str] = []
    for path in paths:
        try:
            _take(layout, path, messages)
        except (CorpusDamaged, NotFound) as error:
            notes.append(f"{error.message}; `aicx doctor` says more")
    return _split(messages), notes


def _split(messages: Sequence[_Message]) -> tuple[Window, ...]:
    compacts = _begins([message.compaction for message in messages])
    begins = [number for number, begins in enumerate(compacts) if begins or number == 0]
    bounds = enumerate(pairwise([*begins, len(messages)]))
    return tuple(_window(index, first, messages[first:end]) for index, (first, end) in bounds)


def _take(layout: Layout, path: str, messages: list[_Message]) -> None:
    sidecar = load_sidecar(layout, path)
    for message, compaction in _own(sidecar, lambda: load_markdown(layout, path)):
        if (message.get("part") or [1])[0] == 1 or not messages:
            messages.append(_Message(datetime.fromisoformat(message["at"]), compaction))
        low, high = message["span"]
        messages[-1].size += high - low
        messages[-1].chunks[sidecar.id] = None


def _own(sidecar: Sidecar, markdown: Callable[[], bytes]) -> Iterator[tuple[Mapping[str, Any], Compaction | None]]:
    """The messages of a chunk that are not in the one before, each with what it tells of a compaction."""
    for message in sidecar.messages:
        if message.get("repeated"):
            continue
        low, high = message["span"]
        compaction: Compaction | None = None
        if (message.get("part") or [1])[0] > 1:
            pass  # it goes on with what was told
        elif message["origin"] == COMPACTION:
            # The text is needed for few of them.
            short = sidecar.agent == _TELLS_RECAPS and high - low <= _SHORT
            recap = short and is_recap(markdown()[low:high].decode("utf-8", "replace"))
            compaction = None if recap else "summary"
        elif message["role"] == "system" and message.get("text_key") == _NOTICE:
            compaction = "notice"
        yield message, compaction


def _begins(compactions: Sequence[Compaction | None]) -> list[bool]:
    """Which messages begin a window: a notice right behind the summary tells of the same compaction."""
    before = [None, *compactions]
    return [one is not None and not (one == "notice" and last) for one, last in zip(compactions, before, strict=False)]


def _compaction_in(step: Step) -> Compaction | None:
    if step.origin == COMPACTION:
        return None if step.chunk.startswith(f"{_TELLS_RECAPS}:") and is_recap(step.text) else "summary"
    return "notice" if step.role == "system" and step.text == CONTEXT_COMPACTED else None


def _window(index: int, first: int, messages: Sequence[_Message]) -> Window:
    times = [message.at for message in messages]  # not in their order: tools run at the same time
    return Window(
        index,
        "compact" if messages[0].compaction else "start",
        first,
        first + len(messages) - 1,
        tuple({chunk: None for message in messages for chunk in message.chunks}),
        min(times),
        max(times),
        len(messages),
        -(-sum(message.size for message in messages) // BYTES_PER_TOKEN),
    )


def texts_of_windows(windows: Sequence[Window], stored: StoredText) -> list[str]:
    """Returns what a chunk holds of each of ``windows``, which are all that it is in."""
    own = list(_own(stored.sidecar, lambda: stored.markdown))
    texts: list[list[str]] = []
    for (message, _), begins in zip(own, _begins([one for _, one in own]), strict=True):
        if begins or not texts:
            texts.append([])
        low, high = message["span"]
        texts[-1].append(stored.markdown[low:high].decode("utf-8", "replace"))
    return ["\n".join(part) for part in texts[: len(windows)]]


def steps_of_windows(windows: Sequence[Window], steps: Sequence[Step]) -> list[list[Step]]:
    """The messages as `read_steps` gives them, by the window that each is in.

    Those may lack messages that windows count: answers of aicx, and chunks that were altered on disk.
    """
    last = {chunk: window.index for window in windows for chunk in window.chunks}
    compacts = _begins([_compaction_in(step) for step in steps])
    inside: dict[str, int] = {}  # by chunk, how many compactions begin in it
    for step, begins in zip(steps, compacts, strict=True):
        inside[step.chunk] = inside.get(step.chunk, 0) + begins
    found: list[list[Step]] = [[] for _ in windows]
    chunk, index = "", 0
    for step, begins in zip(steps, compacts, strict=True):
        if step.chunk != chunk:
            # A long message that began in the chunk before is no step of this one.
            chunk, index = step.chunk, last.get(step.chunk, index) - inside[step.chunk]
        index += begins
        found[max(index, 0)].append(step)
    return found


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
