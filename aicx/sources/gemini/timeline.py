"""The entries of one Gemini CLI log on their way out, each with its time, session and place in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from aicx.sources.gemini.messages import GeminiMessages
from aicx.sources.items import BadRecord, EntryDraft, SkippedRecords, TimelineEntry
from aicx.sources.records import LogRecord, parse_instant
from aicx.sources.values import object_of, string_of, text_of

AGENT = "gemini"


class GeminiTimeline:
    """What carries over from one message of a log to the next."""

    def __init__(self, path: str, session_id: str, cwd: str | None, first: datetime | None) -> None:
        self.session_id = session_id
        self.skipped: Counter[str] = Counter()
        self._path = path
        self._cwd = cwd
        self._last = first  # the time given to a message that has none
        self._messages = GeminiMessages(self.skipped)
        self._said: set[int] = set()

    def take(
        self, message: dict[str, Any], record: LogRecord, *, only_new: bool = False
    ) -> Iterator[TimelineEntry | BadRecord]:
        """The entries of one message; with ``only_new`` those whose text has not been seen in this log."""
        drafts = self._messages.draft(message)
        if drafts is None:
            return
        fresh = [draft for draft in drafts if not only_new or hash((draft.role, draft.text)) not in self._said]
        if len(fresh) < len(drafts):
            self.skipped["message repeated in a context update"] += 1
        yield from self.place(message, fresh, record)

    def place(
        self, message: dict[str, Any], drafts: list[EntryDraft], record: LogRecord
    ) -> Iterator[TimelineEntry | BadRecord]:
        """``drafts`` as entries of ``message``, which stands in ``record``."""
        at = parse_instant(message.get("timestamp")) or self._last
        if not drafts:
            self._last = at
            return
        if at is None:
            yield BadRecord(self._path, "message without a time in a log without any", record.line)
            return
        self._last = at
        ref = record.ref(self._path)
        key = string_of(message.get("id"))
        for draft in drafts:
            self._said.add(hash((draft.role, draft.text)))
            stamp = parse_instant(draft.at) or at
            yield draft.placed(
                AGENT,
                self.session_id,
                # A result can be stamped a millisecond before the message that holds its call.
                max(stamp, at) if draft.role == "tool" else stamp,
                ref,
                record_id=draft.record_id or (f"{key}{draft.suffix}" if key else None),
                cwd=self._cwd,
                model=text_of(message.get("model")),
            )

    def close(self) -> Iterator[SkippedRecords]:
        """How much was passed over."""
        return (SkippedRecords(self._path, reason, count) for reason, count in self.skipped.items())


def first_instant(messages: list[Any]) -> datetime | None:
    """The first readable time among a log's messages."""
    return next((at for m in messages if (at := parse_instant(object_of(m).get("timestamp")))), None)
