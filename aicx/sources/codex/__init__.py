"""Codex: rollouts below ``~/.codex/sessions`` in every form since 2025, the prompt history, and the session index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.sources import MEMORIES
from aicx.sources.codex.rollout import Rollout
from aicx.sources.codex.timeline import AGENT
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SourceItem, TimelineEntry
from aicx.sources.memories import identify_memory, memory_files, read_memory
from aicx.sources.records import (
    Element,
    LogRecord,
    entries_of,
    parse_instant,
    read_json_cut,
    read_jsonl,
    stat_log,
    unreadable,
)
from aicx.sources.values import items_of, object_of, text_of
from aicx.sources.voices import speaker_of
from aicx.types import AgentHomes, Lane

ROLLOUT = "codex-rollout"
ROLLOUT_JSON = "codex-rollout-json"
HISTORY = "codex-history"
INDEX = "codex-index"
MEMORY = "codex-memory"

_FOLDERS = ("sessions", "archived_sessions")
_MEMORIES = "memories"
_MEMORY_SESSION = f"{MEMORIES}codex"
_FILES = {"history.jsonl": HISTORY, "session_index.jsonl": INDEX}
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
# A fork may begin with its parent's head; its own then stands close behind.
_HEAD_RECORDS = 24
# What `codex exec --json` prints, when someone saved it beside the rollouts.
_EXEC_TYPES = ("thread.started", "turn.started", "item.started", "item.completed")


class CodexSource:
    """Everything Codex writes about its sessions below its home."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every log, by listing and stat alone."""
        for path in entries_of(homes.codex):
            if isinstance(path, BadRecord):
                yield path
            elif path.name in _FOLDERS:
                yield from _rollouts(path, set())
            elif path.name in _FILES:
                yield stat_log(AGENT, _FILES[path.name], path)
            elif path.name == _MEMORIES:
                yield from memory_files(AGENT, MEMORY, path)

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a rollout holds, from its name and its head; a history or an index holds many."""
        if log.format in (HISTORY, INDEX):
            return LogIdentity(None, None)
        if log.format == MEMORY:
            return identify_memory(log, _MEMORY_SESSION)
        heads, first_at = _read_heads(log)
        named = _UUID.findall(log.path.stem)
        session_id = named[-1] if named else next((head["id"] for head in heads if text_of(head.get("id"))), None)
        own = next((head for head in heads if head.get("id") == session_id), heads[0] if heads else {})
        lane, parent = _lineage(own)
        started_at = parse_instant(own.get("timestamp")) or first_at
        return LogIdentity(session_id or log.path.stem, started_at, lane, parent)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The log's items in file order."""
        if log.format == HISTORY:
            return _read_history(log)
        if log.format == INDEX:
            return _read_index(log)
        if log.format == MEMORY:
            folder = next((above for above in log.path.parents if above.name == _MEMORIES), log.path.parent)
            return read_memory(log, _MEMORY_SESSION, folder, None)
        return _read_rollout(log, self.identify(log))


SOURCE = CodexSource()


def _rollouts(folder: Path, entered: set[tuple[int, int]]) -> Iterator[LogFile | BadRecord]:
    """The rollouts below ``folder``; ``entered`` breaks the circle a link to a folder above would make."""
    for path in entries_of(folder):
        if isinstance(path, BadRecord):
            yield path
        elif path.suffix == ".jsonl":
            yield stat_log(AGENT, ROLLOUT, path)
        elif path.suffix == ".json" and path.name.startswith("rollout-"):
            yield stat_log(AGENT, ROLLOUT_JSON, path)
        elif path.name.startswith("rollout-"):
            yield BadRecord(str(path), "is named like a rollout, but is of no form that can be read")
        else:
            yield from _enter(path, entered)


def _enter(path: Path, entered: set[tuple[int, int]]) -> Iterator[LogFile | BadRecord]:
    try:
        if not path.is_dir():
            return
        status = path.stat()
    except OSError as error:
        yield unreadable(path, error)
        return
    if (status.st_dev, status.st_ino) not in entered:
        entered.add((status.st_dev, status.st_ino))
        yield from _rollouts(path, entered)


def _read_heads(log: LogFile) -> tuple[list[dict[str, Any]], datetime | None]:
    """The session heads among the first records, and the first readable time, however far down that is."""
    heads: list[dict[str, Any]] = []
    first_at: datetime | None = None
    for count, record in enumerate(_records(log), 1):
        if isinstance(record, BadRecord):
            continue
        value = record.value
        first_at = first_at or parse_instant(value.get("timestamp"))
        payload = value.get("payload")
        if value.get("type") == "session_meta" and isinstance(payload, dict):
            heads.append(payload)
        elif "type" not in value and "record_type" not in value and isinstance(value.get("id"), str):
            heads.append(value)
        if count >= _HEAD_RECORDS and first_at:
            break
    return heads, first_at


def _lineage(head: dict[str, Any]) -> tuple[Lane, str | None]:
    """Whether a sub-agent's session, and the session it came from, be it a parent's call or a fork.

    A thread that another one only opened, for a person to go on in, calls itself a sub-agent's and names no parent.
    """
    subagent, fork = object_of(head.get("source")).get("subagent"), text_of(head.get("forked_from_id"))
    spawn = object_of(object_of(subagent).get("thread_spawn"))
    parent = text_of(head.get("parent_thread_id")) or text_of(spawn.get("parent_thread_id"))
    # A sub-agent's head names, as session_id, the session at the root of the tree it belongs to.
    origin = fork or text_of(head.get("session_id") if head.get("session_id") != head.get("id") else None)
    if subagent or parent or (head.get("thread_source") == "subagent" and origin):
        return "subagent", parent or origin
    return "primary", fork


def _records(log: LogFile) -> Iterator[LogRecord | BadRecord]:
    if log.format == ROLLOUT:
        yield from read_jsonl(log)
        return
    path = str(log.path)
    whole, cut = read_json_cut(log)
    if isinstance(whole, BadRecord):
        yield whole
        return
    if not isinstance(whole.get("items"), list):
        yield BadRecord(path, "has no list of items")
    for index, value in enumerate([whole.get("session"), *items_of(whole.get("items"))]):
        # The session is no element of the list: the items keep the positions they have there.
        if isinstance(value, dict):
            yield Element(value, index - 1, cut=cut)
            cut = 0
        else:
            yield BadRecord(path, f"{f'item {index - 1}' if index else 'session'} is a {type(value).__name__}")


def _read_rollout(log: LogFile, identity: LogIdentity) -> Iterator[SourceItem]:
    rollout = Rollout(str(log.path), identity)
    ready = rollout.ready
    is_first = True
    for record in _records(log):
        if isinstance(record, BadRecord):
            yield record
            continue
        if is_first and record.value.get("type") in _EXEC_TYPES:
            yield BadRecord(str(log.path), "is the output of `codex exec --json`, not a rollout")
            return
        is_first = False
        rollout.take(record)
        if ready:
            yield from ready
            ready.clear()
    rollout.finish()
    yield from ready


def _read_history(log: LogFile) -> Iterator[SourceItem]:
    """Prompts as they were typed, of all sessions, with no word on where."""
    at: datetime | None = None
    for record in read_jsonl(log):
        if isinstance(record, BadRecord):
            yield record
            continue
        path, value = str(log.path), record.value
        at = parse_instant(value.get("ts")) or at
        session_id, text = text_of(value.get("session_id")), value.get("text")
        if session_id is None or at is None or not isinstance(text, str):
            yield BadRecord(path, "is not a prompt with a session, a time and a text", record.line)
        elif text.strip():
            yield TimelineEntry(AGENT, session_id, at, "user", text, record.ref(path), speaker_of(text) or "typed")


def _read_index(log: LogFile) -> Iterator[SourceItem]:
    for record in read_jsonl(log):
        if isinstance(record, BadRecord):
            yield record
        elif (session_id := text_of(record.value.get("id"))) is None:
            yield BadRecord(str(log.path), "names no session", record.line)
        elif title := text_of(record.value.get("thread_name")):
            yield SessionEvent(session_id, title=title)
