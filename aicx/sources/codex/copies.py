"""Chooses among copies of a text: a rollout writes nearly everything twice, as a model item and as an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from aicx.sources.items import ToolUse
from aicx.sources.records import LogRecord
from aicx.types import Origin, Role
from aicx.values import dataclass


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
    """What is to become an entry unless its other half follows, with all that was in force where it stands."""

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
