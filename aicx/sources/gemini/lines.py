"""The newer format of Gemini CLI sessions: a header, then messages and patches, appended.

A message is written again, whole, whenever it gains a tool call or a result: the last version wins and keeps the
place of the first. So a log is read twice, and a message waits only until its last version has been seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from aicx.sources.embedded import CUT_OUT
from aicx.sources.gemini.sessions import is_header, open_session, title_of
from aicx.sources.gemini.timeline import GeminiTimeline
from aicx.sources.items import BadRecord, LogFile, SessionEvent, SourceItem
from aicx.sources.records import RawRecord, parse_instant, read_jsonl
from aicx.sources.values import object_of, text_of


def read_lines(log: LogFile) -> Iterator[SourceItem]:
    """A session's items, each message where its first version stands."""
    outline = _outline(log)
    timeline = yield from open_session(log, outline.header, outline.first)
    waiting: dict[str, _Version] = {}
    for number, record in enumerate(read_jsonl(log)):
        if isinstance(record, BadRecord):
            yield record
            continue
        if record.cut:
            timeline.skipped[CUT_OUT] += record.cut
        yield from _patches(timeline, record.value)
        for version in _versions(record, number):
            if version.from_context and version.key in outline.appended:
                timeline.skipped["message repeated in a context update"] += 1
            else:
                waiting[version.key] = version
        while waiting and outline.last.get(first := next(iter(waiting)), number) <= number:
            yield from _release(timeline, waiting.pop(first))
    for held in waiting.values():
        yield from _release(timeline, held)
    yield from timeline.close()


class _Version(NamedTuple):
    """A message as one record has it."""

    key: str
    message: dict[str, Any]
    from_context: bool  # listed in a rewrite of the model's context
    record: RawRecord


class _Outline(NamedTuple):
    """What must be known of a log before its first message can be given out."""

    header: dict[str, Any]
    first: datetime | None
    last: dict[str, int]  # message -> number of the record holding its last version
    appended: set[str]  # messages written as records of their own


def _outline(log: LogFile) -> _Outline:
    header: dict[str, Any] = {}
    first: datetime | None = None
    last: dict[str, int] = {}
    appended: set[str] = set()
    for number, record in enumerate(read_jsonl(log)):
        if isinstance(record, BadRecord):
            continue
        if not header and is_header(record.value):
            header = record.value
        for version in _versions(record, number):
            last[version.key] = number
            if not version.from_context:
                appended.add(version.key)
            first = first or parse_instant(version.message.get("timestamp"))
    return _Outline(header, first, last, appended)


def _versions(record: RawRecord, number: int) -> Iterator[_Version]:
    """The messages of one record.

    A rewrite of the model's context (``$set`` with ``messages``) follows a compression or a cancelled turn and lists
    what the model is to see from now on. It must not erase what was said, but it is the only place where the summary
    is found.
    """
    value = record.value
    listed = (value if is_header(value) else object_of(value.get("$set"))).get("messages")
    if isinstance(listed, list):
        for index, message in enumerate(listed):
            if isinstance(message, dict):
                yield _Version(text_of(message.get("id")) or f"{number}.{index}", message, True, record)
    elif "type" in value or "role" in value or "id" in value:
        yield _Version(text_of(value.get("id")) or str(number), value, False, record)


def _patches(timeline: GeminiTimeline, value: dict[str, Any]) -> Iterator[SessionEvent]:
    patch = value.get("$set")
    if isinstance(patch, dict):
        if title := title_of(patch):
            yield SessionEvent(timeline.session_id, title=title)
        timeline.skipped["metadata update"] += 1
    elif "$rewindTo" in value:
        # The rewound turns stay: they were said, and taking them back would change what has been given out already.
        timeline.skipped["rewind mark"] += 1
    elif not any(key in value for key in ("sessionId", "type", "role", "id")):
        timeline.skipped["unknown record"] += 1


def _release(timeline: GeminiTimeline, version: _Version) -> Iterator[SourceItem]:
    return timeline.take(version.message, version.record, only_new=version.from_context)
