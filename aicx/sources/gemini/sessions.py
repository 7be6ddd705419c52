"""Gemini CLI sessions: the head of a log, and the older format, one JSON object that is rewritten whole."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.sources.embedded import CUT_OUT
from aicx.sources.file_times import changed_at
from aicx.sources.gemini.projects import find_cwd
from aicx.sources.gemini.timeline import GeminiTimeline, first_instant
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SourceItem
from aicx.sources.records import Element, RawRecord, parse_instant, read_json, read_json_cut, read_jsonl
from aicx.sources.values import text_of
from aicx.types import Lane

SESSION_JSON = "gemini-json"
SESSION_LINES = "gemini-jsonl"
PROMPTS = "gemini-logs"
MESSAGES = ("messages", "history", "items")  # the list's names, today's first


def identify_session(log: LogFile) -> LogIdentity:
    """The session a log holds, from its header; one that names none goes by the name of its file."""
    header = _header(log)
    lane, parent = _lane(log.path, header)
    return LogIdentity(_session_id(log, header), parse_instant(header.get("startTime")), lane, parent)


def read_object(log: LogFile) -> Iterator[SourceItem]:
    """A session's items, message by message."""
    header, cut = read_json_cut(log)
    path = str(log.path)
    if isinstance(header, BadRecord):
        yield header
        return
    messages = next((header[name] for name in MESSAGES if isinstance(header.get(name), list)), None)
    if messages is None:
        yield BadRecord(path, "has no list of messages")
        return
    timeline = yield from open_session(log, header, first_instant(messages))
    if cut:
        timeline.skipped[CUT_OUT] += cut
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            yield from timeline.take(message, Element(message, index, index + 1))
        else:
            yield BadRecord(path, "message is not an object", index + 1)
    yield from timeline.close()


def open_session(
    log: LogFile, header: dict[str, Any], first: datetime | None
) -> Generator[SessionEvent | BadRecord, None, GeminiTimeline]:
    """Yields what the header says of the session; returns the timeline to go on with."""
    cwd, bad = find_cwd(log, header)
    yield from bad
    session_id = _session_id(log, header)
    lane, parent = _lane(log.path, header)
    title = title_of(header)
    if title or lane == "subagent":
        yield SessionEvent(session_id, title=title, parent_session=parent, lane=lane if lane == "subagent" else None)
    began = parse_instant(header.get("startTime")) or first or parse_instant(header.get("lastUpdated"))
    began = began or changed_at(log.path)
    return GeminiTimeline(str(log.path), session_id, cwd, began)


def title_of(header: Mapping[str, Any]) -> str | None:
    """The session's title, from its header or from an update of that."""
    return text_of(header.get("summary")) or text_of(header.get("title"))


def is_header(value: Mapping[str, Any]) -> bool:
    """Whether a record is the one that names the session."""
    return "sessionId" in value and "type" not in value and "id" not in value


def _header(log: LogFile) -> dict[str, Any]:
    """The record that names the session; empty when the log has none."""
    if log.format == SESSION_JSON:
        value = read_json(log)
        return {} if isinstance(value, BadRecord) else value
    return next((r.value for r in read_jsonl(log) if isinstance(r, RawRecord) and is_header(r.value)), {})


def _session_id(log: LogFile, header: Mapping[str, Any]) -> str:
    return text_of(header.get("sessionId")) or log.path.stem


def _lane(path: Path, header: Mapping[str, Any]) -> tuple[Lane, str | None]:
    if path.parent.parent.name == "chats":
        return "subagent", path.parent.name
    return ("subagent" if header.get("kind") == "subagent" else "primary"), None
