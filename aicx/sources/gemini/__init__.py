"""Gemini CLI: one JSON Lines file per session below ``~/.gemini/tmp/<project>/chats``, of old one JSON object."""

from __future__ import annotations

import re
import stat
from collections.abc import Generator, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from aicx.sources.gemini.messages import AGENT, GeminiTimeline, first_instant
from aicx.sources.gemini.projects import find_cwd, folder_hash, project_root
from aicx.sources.items import BadRecord, EntryDraft, LogFile, LogIdentity, SessionEvent, SourceItem, passed_over
from aicx.sources.records import (
    Element,
    RawRecord,
    changed_at,
    entries_of,
    parse_instant,
    read_json,
    read_json_cut,
    read_jsonl,
    stat_log,
    unreadable,
)
from aicx.sources.values import CUT_OUT, object_of, parse_json, quoted, string_of, text_of
from aicx.sources.voices import speaker_of
from aicx.types import AgentHomes, Lane

SESSION_JSON = "gemini-json"
SESSION_LINES = "gemini-jsonl"
PROMPTS = "gemini-logs"
MESSAGES = ("messages", "history", "items")  # the list's names, today's first


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
    timeline.skipped[CUT_OUT] += cut
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            yield from timeline.take(message, Element(message, index, index + 1))
        else:
            yield BadRecord(path, "message is not an object", index + 1)
    yield from passed_over(str(log.path), timeline.skipped)


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


__all__ = [
    "AGENT",
    "MESSAGES",
    "PROMPTS",
    "SESSION_JSON",
    "SESSION_LINES",
    "SOURCE",
    "GeminiSource",
    "folder_hash",
    "project_root",
]
_BARE_COMMAND = re.compile(r"/[A-Za-z][\w:-]*")


class GeminiSource:
    """Session files, the subagents' files below them, and the prompt history of each project."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every log, by listing and stat alone; ``checkpoint-*.json`` are copies of sessions and are passed over."""
        for project in entries_of(homes.gemini / "tmp"):
            if isinstance(project, BadRecord):
                yield project
                continue
            for path in entries_of(project) if _is_folder(project) else ():
                if isinstance(path, BadRecord):
                    yield path
                elif path.name == "chats":
                    yield from _session_files(path, prefix="")
                elif path.name == "logs.json":
                    yield stat_log(AGENT, PROMPTS, path)
        yield from _session_files(homes.gemini / "history", prefix="session-")

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a log holds; a file that names none goes by its own name, a prompt history holds many."""
        if log.format == PROMPTS:
            return LogIdentity(None, None)
        header = _header(log)
        lane, parent = _lane(log.path, header)
        return LogIdentity(_session_id(log, header), parse_instant(header.get("startTime")), lane, parent)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The log's items in file order."""
        return {PROMPTS: read_prompts, SESSION_JSON: read_object}.get(log.format, read_lines)(log)


SOURCE = GeminiSource()


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # listing it will then say what is wrong


def _session_files(folder: Path, prefix: str) -> Iterator[LogFile | BadRecord]:
    for path in entries_of(folder):
        if isinstance(path, BadRecord):
            yield path
        elif path.suffix in (".json", ".jsonl"):
            if path.name.startswith(prefix) and not path.name.startswith("checkpoint-"):
                yield stat_log(AGENT, SESSION_JSON if path.suffix == ".json" else SESSION_LINES, path)
        elif not path.name.startswith(".") and not path.is_symlink() and _is_folder(path):
            # Folders with a leading dot are Gemini's own git repositories: thousands of files, none of them a log.
            yield from _session_files(path, prefix)


def read_prompts(log: LogFile) -> Iterator[SourceItem]:
    """One entry a prompt, in file order."""
    path = str(log.path)
    try:
        prompts = parse_json(log.path.read_bytes())
    except OSError as error:
        yield unreadable(log.path, error)
        return
    if not isinstance(prompts, list):
        yield BadRecord(path, "is not a JSON array of prompts")
        return
    cwd, problems = find_cwd(log, {})
    yield from problems
    timeline = GeminiTimeline(path, "", cwd, first_instant(prompts))
    for index, value in enumerate(prompts):
        prompt = object_of(value)
        timeline.session_id, text = string_of(prompt.get("sessionId")), string_of(prompt.get("message"))
        kind = prompt.get("type", "user")
        if not timeline.session_id or not text.strip():
            yield BadRecord(path, "prompt without a session or a text", index + 1)
        elif kind != "user":
            timeline.skipped[f"unknown type: {quoted(kind)}"] += 1
        elif _BARE_COMMAND.fullmatch(text.strip()):
            timeline.skipped["slash command"] += 1
        else:
            # Without an id on purpose: the same prompt stands in the session's own log, and is recognised by its text.
            drafts = [EntryDraft("user", speaker_of(text) or "typed", text)]
            place = Element(prompt, index, index + 1)
            yield from timeline.place({"timestamp": prompt.get("timestamp")}, drafts, place)
    yield from passed_over(str(log.path), timeline.skipped)


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
    yield from passed_over(str(log.path), timeline.skipped)


class _Version(NamedTuple):
    """A message as one record has it."""

    key: str
    message: dict[str, Any]
    from_context: bool  # listed in a rewrite of the model's context
    record: RawRecord


class _Outline(NamedTuple):
    """The facts of a log that its first message cannot be given out without."""

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
