"""Claude Code: logs under ``projects/``, one per session or subagent, what it remembers, and the prompt history."""

from __future__ import annotations

import os.path
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import Any

from aicx.sources import MEMORIES
from aicx.sources.claude.session import ClaudeLogReader
from aicx.sources.claude.text import cut_additions, without_data_urls
from aicx.sources.items import (
    BadRecord,
    LogFile,
    LogIdentity,
    ReadPoint,
    RecordsEnd,
    SourceItem,
    TimelineEntry,
    passed_over,
)
from aicx.sources.memories import identify_memory, memory_files, read_memory
from aicx.sources.records import RawRecord, entries_of, parse_instant, points_from, read_jsonl, stat_log
from aicx.sources.values import CUT_OUT, object_of, string_of, text_of
from aicx.sources.voices import speaker_of
from aicx.types import AgentHomes

AGENT = "claude"
SESSION_FORMAT = "claude-jsonl"
HISTORY_FORMAT = "claude-history"
MEMORY_FORMAT = "claude-memory"

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_SUBAGENT = re.compile(r"(?:^|(?<=^\d{4}-\d{2}-\d{2}-))agent-.+")
_HEAD_RECORDS = 500  # how far `identify` looks for a timestamp
_HISTORY_KEYS = ("sessionId", "project")
_HISTORY_SESSION = "history"  # for prompts of versions that did not note the session
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]")
_MAX_ASKED = 20  # logs of a project, for its folder
# `/review src` but not `/home/me/notes.txt is wrong`
_SLASH_COMMAND = re.compile(r"/[\w:.-]+(?:\s|$)")


class ClaudeSource:
    """Finds and reads Claude Code's logs."""

    agent = AGENT
    growing = frozenset({SESSION_FORMAT})

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        history = homes.claude / "history.jsonl"
        if os.path.lexists(history):
            yield stat_log(AGENT, HISTORY_FORMAT, history)
        for project in entries_of(homes.claude / "projects"):
            if isinstance(project, BadRecord):
                yield project
            elif _is_folder(project):
                yield from _project_logs(project)

    def identify(self, log: LogFile) -> LogIdentity:
        if log.format == HISTORY_FORMAT:
            return LogIdentity(None, _first_instant(log))
        if log.format == MEMORY_FORMAT:
            return identify_memory(log, _memory_session(log.path))
        return _identity_of(log, read_jsonl(log))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        if log.format == HISTORY_FORMAT:
            return _read_history(log)
        if log.format == MEMORY_FORMAT:
            folder = _memory_folder(log.path)
            return read_memory(log, _memory_session(log.path), folder, _folder_of(folder.parent))
        records, head = tee(read_jsonl(log))
        return ClaudeLogReader(log, _identity_of(log, head)).items(records)

    def read_on(
        self, log: LogFile, start: int, line: int, state: Mapping[str, Any]
    ) -> Iterator[SourceItem | ReadPoint | RecordsEnd]:
        records = read_jsonl(log, start=start, line=line)
        return ClaudeLogReader(log, self.identify(log)).items_on(records, line, state, points_from(log))


def _identity_of(log: LogFile, records: Iterable[RawRecord | BadRecord]) -> LogIdentity:
    """The session of a log, by its name and as few of its first records as tell it."""
    named = subagent = None
    if found := _SUBAGENT.search(log.path.stem):
        subagent = found[0]
    elif found := _UUID.search(log.path.stem):
        named = found[0]
    started_at = session_id = origin = None
    for record in _head(records):
        started_at = started_at or _instant(record)
        session_id = session_id or text_of(record.value.get("sessionId"))
        if text_of(record.value.get("uuid")):
            # A copied record says so, or still has the id of the session that it was copied from.
            branched = text_of(object_of(record.value.get("forkedFrom")).get("sessionId"))
            origin = branched or text_of(record.value.get("sessionId")) or named
        if started_at and (origin or (session_id and not named)):
            break
    if subagent:
        return LogIdentity(subagent, started_at, "subagent", session_id or _folder_session(log.path))
    own = named or session_id or log.path.stem
    return LogIdentity(own, started_at, parent_session=origin if origin != own else None)


def _is_folder(path: Path) -> bool:
    """Whether to look inside. True as well for what cannot be examined, so that the attempt reports it."""
    return not os.path.isfile(path)  # noqa: PTH113  `Path.is_file` raises there


def _project_logs(project: Path) -> Iterator[LogFile | BadRecord]:
    for path in entries_of(project):
        if isinstance(path, BadRecord):
            yield path
        elif path.suffix == ".jsonl":
            yield stat_log(AGENT, SESSION_FORMAT, path)
        elif path.name == "memory":
            yield from memory_files(AGENT, MEMORY_FORMAT, path)
        elif _is_folder(path):
            yield from _subagent_logs(path / "subagents")


def _subagent_logs(folder: Path) -> Iterator[LogFile | BadRecord]:
    """The agents of a session, and those of its workflows two folders further down."""
    for path in entries_of(folder):
        if isinstance(path, BadRecord):
            yield path
        elif path.suffix == ".jsonl":
            if path.name.startswith("agent-"):
                yield stat_log(AGENT, SESSION_FORMAT, path)
        elif _is_folder(path) and not path.is_symlink():
            yield from _subagent_logs(path)


def _memory_folder(path: Path) -> Path:
    return next((above for above in path.parents if above.name == "memory"), path.parent)


def _memory_session(path: Path) -> str:
    """The memories of a project are one session, named by the folder that Claude Code keeps for it."""
    return MEMORIES + _memory_folder(path).parent.name.lstrip("-")


def _folder_of(project: Path) -> str | None:
    """The working folder that a project's logs are of: its name says it in a form that many folders share."""
    logs = [path for path in entries_of(project) if isinstance(path, Path) and path.suffix == ".jsonl"]
    for log in map(partial(stat_log, AGENT, SESSION_FORMAT), logs[:_MAX_ASKED]):
        for record in _head(read_jsonl(log)) if isinstance(log, LogFile) else ():
            cwd = string_of(record.value.get("cwd"))
            if cwd and _NOT_PLAIN.sub("-", cwd) == project.name:
                return cwd
    return None


def _head(records: Iterable[RawRecord | BadRecord]) -> Iterator[RawRecord]:
    return (record for record in islice(records, _HEAD_RECORDS) if isinstance(record, RawRecord))


def _first_instant(log: LogFile) -> datetime | None:
    return next((at for record in _head(read_jsonl(log)) if (at := _instant(record))), None)


def _instant(record: RawRecord) -> datetime | None:
    return parse_instant(record.value.get("timestamp"))


def _folder_session(path: Path) -> str | None:
    """The session whose ``subagents`` folder holds ``path``."""
    return next((above.parent.name for above in path.parents if above.name == "subagents"), None)


def _read_history(log: LogFile) -> Iterator[SourceItem]:
    """One typed prompt a line, of all projects."""
    path = str(log.path)
    skipped: Counter[str] = Counter()
    at = _first_instant(log)
    for record in read_jsonl(log):
        if isinstance(record, BadRecord):
            yield record
            continue
        value = record.value
        skipped[CUT_OUT] += record.cut
        at = parse_instant(value.get("timestamp")) or at
        text, cut = _history_text(value)
        skipped["scaffolding inside a text"] += cut
        if not text:
            skipped["empty prompt"] += 1
        elif _SLASH_COMMAND.match(text):
            skipped["slash command"] += 1
        elif at is None:
            yield BadRecord(path, "has no timestamp, nor has any record around it", record.line)
        else:
            session, project = (text_of(value.get(key)) for key in _HISTORY_KEYS)
            yield TimelineEntry(
                AGENT,
                session or _HISTORY_SESSION,
                at,
                "user",
                text,
                record.ref(path),
                speaker_of(text) or "typed",
                cwd=project,
            )
    yield from passed_over(path, skipped)


def _history_text(value: dict[str, Any]) -> tuple[str, int]:
    """The prompt with what was pasted into it, and how many of the client's additions were cut out."""
    parts = [string_of(value.get("display"))]
    pasted = object_of(value.get("pastedContents"))
    for key in sorted(pasted, key=lambda key: (len(key), key)):  # "2" before "10"
        piece = object_of(pasted.get(key))
        if piece.get("type", "text") == "text":
            parts.append(string_of(piece.get("content")))
    text, cut = cut_additions(without_data_urls("\n\n".join(part for part in parts if part.strip())))
    return text.strip(), cut


SOURCE = ClaudeSource()
