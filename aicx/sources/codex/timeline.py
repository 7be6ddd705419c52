"""The entries of one rollout on their way out, each with the time, folder, branch and model in force there.

A rollout writes nearly everything twice, as a model item and as an event: of copies of a text one is chosen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from aicx.sources.codex.texts import is_markup, without_blobs
from aicx.sources.items import BadRecord, LogIdentity, SessionEvent, SourceItem, TimelineEntry, ToolUse, passed_over
from aicx.sources.records import LogRecord, parse_instant
from aicx.sources.values import CUT_OUT
from aicx.types import Origin, Role
from aicx.values import dataclass

AGENT = "codex"
COPY = "copy of a text told once"
SCAFFOLDING = "scaffolding"
NO_TEXT = "empty or encrypted"

_UUID_LENGTH = 36


class Copies:
    """Counts a text per channel, so that copies across channels are one and repetitions within one are several.

    A person who answers ``yes`` twice writes it twice in each channel; the two halves of one ``yes`` are the first
    of each. Only hashes are kept: a log can be far larger than memory should be.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int], int] = {}
        self._told: dict[int, int] = {}

    def has_told(self, channel: str, text: str) -> bool:
        """Counts ``text`` in ``channel``; whether another channel has told this occurrence already."""
        key = hash(text)
        seen = self._seen[channel, key] = self._seen.get((channel, key), 0) + 1
        if seen <= self._told.get(key, 0):
            return True
        self._told[key] = seen
        return False

    def forget(self) -> None:
        """Starts over: copies stand close together, and a text of an earlier turn must not swallow a later one."""
        self._seen.clear()
        self._told.clear()


@dataclass(slots=True)
class Held:
    """An entry to be, unless its other half follows, with all that was in force where it stands."""

    key: str
    role: Role
    text: str
    origin: Origin
    record_id: str | None
    tool: ToolUse | None
    turn: str | None
    record: LogRecord
    at: datetime
    cwd: str | None
    branch: str | None
    model: str | None
    confirmed: bool = False  # the other half came, and what is held is the one to be told


class Waiting:
    """The messages and results held back until the record after them says what they are, in file order."""

    def __init__(self) -> None:
        self._held: list[Held] = []

    def hold(self, held: Held) -> None:
        self._held.append(held)

    def take(self, role: Role, is_copy: Callable[[str], bool]) -> list[Held]:
        """Removes and returns what is held in ``role`` under a key of which the record at hand is the other half."""
        if not self._held:
            return []
        taken = [held for held in self._held if held.role == role and is_copy(held.key)]
        self._held = [held for held in self._held if held not in taken]
        return taken

    def confirm(self, role: Role, key: str) -> bool:
        """Marks the oldest unconfirmed entry that ``key`` is a copy of; whether there was one."""
        for held in self._held:
            if held.role == role and not held.confirmed and _is_same(held.key, key):
                held.confirmed = True
                return True
        return False

    def release(self) -> Iterator[Held]:
        """Everything held, oldest first; afterwards nothing is."""
        held, self._held = self._held, []
        return iter(held)


def _is_same(key: str, other: str) -> bool:
    # One half can carry more than the other: old builds put the environment block into the same item.
    return key == other or (bool(key) and key in other) or (bool(other) and other in key)


class CodexTimeline:
    """Collects what a rollout yields in ``ready``, in file order, and counts what it passes over.

    An entry whose other half may stand in the next record waits for it; whatever else yields something ends the wait.
    So the order is that of the file, and a log that grew says again what it said, and then more.
    """

    def __init__(self, path: str, identity: LogIdentity) -> None:
        self.path = path
        self.identity = identity
        self.session_id = identity.session_id or ""
        self.ready: list[SourceItem] = []
        self.waiting = Waiting()
        self.cwd: str | None = None
        self.model: str | None = None
        self.turn: str | None = None
        self.branches: dict[str | None, str | None] = {}
        self.prompts_have_copies = False
        self._record: LogRecord
        self._stamp: Any = None
        self._at: datetime | None = identity.started_at
        self._skipped: Counter[str] = Counter()
        self._facts: set[SessionEvent] = set()
        self._numbers: Counter[str] = Counter()

    def begin(self, record: LogRecord) -> None:
        """Makes ``record`` the one that entries come from. One without a readable time has that of the one before."""
        self._record = record
        self._skipped[CUT_OUT] += record.cut
        stamp = record.value.get("timestamp")
        if stamp is not None and stamp != self._stamp:
            self._stamp = stamp
            self._at = parse_instant(stamp) or self._at

    def finish(self) -> None:
        """Tells what still waits, and how much was passed over."""
        self._release(at_end=True)
        self.ready.extend(passed_over(self.path, self._skipped))

    def move(self, cwd: Any) -> None:
        """Changes the folder, if ``cwd`` is one."""
        if isinstance(cwd, str) and cwd:
            self.cwd = cwd

    def skip(self, reason: str, count: int = 1) -> None:
        self._skipped[reason] += count

    def report(self, reason: str) -> None:
        """The record at hand is not what it should be."""
        self.ready.append(BadRecord(self.path, reason, self._record.line))

    def emit(
        self,
        role: Role,
        text: str,
        origin: Origin,
        *,
        record_id: str | None = None,
        tool: ToolUse | None = None,
        turn: str | None = None,
        waits_for: str | None = None,
    ) -> None:
        """Yields an entry from the record at hand, after all that waited.

        ``turn`` is given for messages: one without an id of its own is known by its place in its turn. With
        ``waits_for`` the entry itself waits for a record that proves to be its other half by that key.
        """
        if waits_for is None:
            self._release()
        if self._at is None:
            self.report("no record of this log has a readable time")
            return
        context = (self._record, self._at, self.cwd, self.branches.get(self.cwd), self.model)
        entry = Held(waits_for or "", role, text, origin, record_id, tool, turn, *context)
        if waits_for is None:
            self._append(entry)
        else:
            self.waiting.hold(entry)

    def state(self, fact: SessionEvent) -> None:
        """Yields ``fact``, the first time it is said."""
        if fact not in self._facts:
            self._facts.add(fact)
            self._release()
            self.ready.append(fact)

    def _release(self, *, at_end: bool = False) -> None:
        """Tells what waits. A user item without a clean copy is the person's only in a log where prompts have none."""
        for held in self.waiting.release():
            if held.role == "user" and not held.confirmed:
                if is_markup(held.text) and (self.prompts_have_copies or at_end):
                    self.skip(SCAFFOLDING)
                    continue
                # The last record of a live log may be a prompt whose copy is about to be written.
                if self.prompts_have_copies and not at_end:
                    held.origin = "injected"
            self._append(held)

    def _place_in_turn(self, turn: str | None, role: Role) -> str | None:
        """An id for a message that has none: a fork copies its turn with it, but gives it a new time."""
        if turn is None or len(turn) != _UUID_LENGTH:
            return None
        series = f"{turn}:{role}"
        self._numbers[series] += 1
        return f"{series}#{self._numbers[series]}"

    def _append(self, held: Held) -> None:
        self.ready.append(
            TimelineEntry(
                AGENT,
                self.session_id,
                held.at,
                held.role,
                without_blobs(held.text),
                held.record.ref(self.path),
                held.origin,
                cwd=held.cwd,
                branch=held.branch,
                record_id=held.record_id or self._place_in_turn(held.turn, held.role),
                model=held.model,
                tool=held.tool,
            )
        )
