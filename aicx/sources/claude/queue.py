"""Prompts typed while Claude Code was busy.

Such a prompt is logged as a ``queue-operation`` at once. Later it usually turns up again, with an id of its own, as a
user record or as a ``queued_command`` attachment, and that copy is the one to keep. Where a running turn absorbed the
prompt, many versions write no copy at all: then the queue holds the only record of what the person said.

A log that goes on with another one begins with the prompt that was queued for it, above the records that it copies from
before: what is older than a queued prompt tells nothing of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from aicx.sources.items import TimelineEntry
from aicx.values import dataclass


@dataclass(slots=True, eq=False)
class _Queued:
    text: str
    entry: TimelineEntry | None  # None for what no person typed
    state: Literal["waiting", "taken", "withdrawn"] = "waiting"
    seen: bool = False

    def is_in(self, prompt: str) -> bool:
        """Whether ``prompt`` is this one, or was put together or edited from it."""
        if self.state == "withdrawn":
            return self.text in prompt
        return f"\n{self.text}\n" in f"\n{prompt}\n"


class PromptQueue:
    """Follows the queue through a log and says which prompts have no other record."""

    def __init__(self) -> None:
        self._items: list[_Queued] = []

    @property
    def is_empty(self) -> bool:
        return not self._items

    def put(self, text: str, entry: TimelineEntry | None) -> None:
        """A prompt enters the queue; one that was taken back and edited into it is gone."""
        self._items = [item for item in self._items if item.state != "withdrawn" or not item.is_in(text)]
        self._items.append(_Queued(text.strip(), entry))

    def take(self, text: str | None) -> bool:
        """A prompt leaves the queue for the model: ``text``, or the oldest one. False if there is no such prompt."""
        wanted = text.strip() if text else None
        fitting = [item for item in self._items if item.state == "waiting" and wanted in (None, item.text)]
        # The copy may be written before the removal, so one already seen is the one that leaves.
        item = next((item for item in fitting if item.seen), fitting[0] if fitting else None)
        if item is None:
            return False
        item.state = "taken"
        return True

    def withdraw(self) -> None:
        """Every waiting prompt goes back to the input line, to be edited, sent or dropped."""
        for item in self._items:
            if item.state == "waiting":
                item.state = "withdrawn"

    def compare(self, prompt: str, at: datetime | None) -> list[TimelineEntry]:
        """A recorded prompt: drops the queued ones it is a copy of. One that is none of them was typed at an empty
        queue, so that whatever is still listed will have no other record and is returned. (Not so after a slash
        command, since some run while prompts wait.)"""
        same = next((item for item in self._items if not item.seen and item.text == prompt.strip()), None)
        matches = [same] if same else [item for item in self._items if not item.seen and item.is_in(prompt)]
        for item in matches:
            item.seen = True
        self._items = [item for item in self._items if not (item.seen and item.state != "waiting")]
        return [] if matches or prompt.startswith("/") else self._release(self._items, at)

    def absorbed(self, at: datetime | None) -> list[TimelineEntry]:
        """The model speaks again: what was taken before and has not been seen as a copy will have none. (Not so a
        slash command, which runs, and is recorded, when the turn is over.)"""
        return self._release([item for item in self._items if item.state == "taken" and item.text[:1] != "/"], at)

    def rest(self) -> list[TimelineEntry]:
        return self._release(self._items)

    def _release(self, items: list[_Queued], at: datetime | None = None) -> list[TimelineEntry]:
        items = [item for item in items if at is None or item.entry is None or item.entry.at <= at]
        self._items = [item for item in self._items if item not in items]
        return [item.entry for item in items if item.entry is not None and not item.seen]
