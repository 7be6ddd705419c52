"""A session of OpenCode, from whichever layout has it, and its messages: what each part becomes, and by whom it is."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.sources.databases import not_read, reading, split_path
from aicx.sources.items import BadRecord, EntryDraft, LogFile, ToolUse
from aicx.sources.records import WHOLE_LIMIT, list_folder, parse_instant, read_json, read_json_cut, stat_log
from aicx.sources.tools import describe_call
from aicx.sources.values import (
    exit_code_of,
    object_of,
    objects_of,
    parse_json,
    quoted,
    string_of,
    text_of,
    without_data,
)
from aicx.sources.voices import speaker_of
from aicx.types import Origin, Role
from aicx.values import dataclass

AGENT = "opencode"
EXPORT = "opencode-export"  # one object: what `opencode export` writes
FILES = "opencode-files"  # a file for the session, for each message and for each part
DATABASE = "opencode-database"


@dataclass(slots=True)
class OpenCodeSession:
    """``messages`` are objects with ``info`` and ``parts``, whatever else damage has put in the list."""

    info: dict[str, Any] = field(default_factory=dict)
    messages: list[Any] = field(default_factory=list)
    problems: list[BadRecord] = field(default_factory=list)
    cut: int = 0  # pieces of embedded data left out


def load_info(log: LogFile) -> dict[str, Any]:
    """A log's record of its session; empty where it cannot be read."""
    if log.format == DATABASE:
        database, session_id = split_path(log.path)
        try:
            with reading(database) as connection:
                return _info(connection, session_id)
        except (sqlite3.Error, OSError):
            return {}
    value = read_json(log)
    if isinstance(value, BadRecord):
        return {}
    return object_of(value.get("info")) if log.format == EXPORT else value


def load_session(log: LogFile) -> OpenCodeSession:
    """Everything a log holds, and what could not be read of it."""
    return {EXPORT: _exported, FILES: _in_files, DATABASE: _in_database}[log.format](log)


def _exported(log: LogFile) -> OpenCodeSession:
    value, cut = read_json_cut(log)
    if isinstance(value, BadRecord):
        return OpenCodeSession(problems=[value])
    messages = value.get("messages")
    if not isinstance(messages, list):
        return OpenCodeSession(problems=[BadRecord(str(log.path), "has no list of messages")])
    return OpenCodeSession(object_of(value.get("info")), messages, cut=cut)


# --- files


def storage_of(session_file: Path) -> Path:
    """The folder with `message` and `part` for a session: above `session/<project>`, or, of old, above `info`."""
    return session_file.parent.parent if session_file.parent.name == "info" else session_file.parent.parent.parent


def message_files(session_file: Path) -> list[Path] | BadRecord:
    """The files of a session's messages; their names begin with the time."""
    return list_folder(storage_of(session_file) / "message" / session_file.stem)


def _in_files(log: LogFile) -> OpenCodeSession:
    info = _file(log.path)
    if isinstance(info, BadRecord):
        return OpenCodeSession(problems=[info])
    session = OpenCodeSession(info)
    parts = storage_of(log.path) / "part"
    if (parts / log.path.stem).is_dir():  # of old, by session and message
        parts = parts / log.path.stem
    for message in _objects(message_files(log.path), session.problems):
        path, value = message
        found = _objects(list_folder(parts / path.stem), session.problems)
        listed = [{**part, "id": file.stem} for file, part in found]
        session.messages.append({"info": {**value, "id": path.stem}, "parts": listed})
    return session


def _objects(listing: list[Path] | BadRecord, problems: list[BadRecord]) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in [listing] if isinstance(listing, BadRecord) else listing:
        value = path if isinstance(path, BadRecord) else _file(path)
        if isinstance(value, BadRecord):
            # Its session is read again when it changes; one damaged file is no reason to read it at every run.
            problems.append(BadRecord(value.path, value.reason, value.line or 1))
        elif isinstance(path, Path):
            yield path, value


def _file(path: Path) -> dict[str, Any] | BadRecord:
    log = stat_log(AGENT, FILES, path)
    return log if isinstance(log, BadRecord) else read_json(log)


# --- the database


def _in_database(log: LogFile) -> OpenCodeSession:
    database, session_id = split_path(log.path)
    try:
        with reading(database) as connection:
            session = OpenCodeSession(_info(connection, session_id))
            if not session.info:
                session.problems.append(BadRecord(str(log.path), "is no longer in the database"))
                return session
            parts = _rows(
                connection, "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id", log, session
            )
            by_message: dict[str, list[dict[str, Any]]] = {}
            for row, value in parts:
                by_message.setdefault(string_of(row["message_id"]), []).append({**value, "id": row["id"]})
            asked = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id"
            for row, value in _rows(connection, asked, log, session):
                listed = by_message.pop(string_of(row["id"]), [])
                session.messages.append({"info": {**value, "id": row["id"]}, "parts": listed})
            for message_id, left in by_message.items():
                reason = f"{len(left)} parts of a message that is not there"
                session.problems.append(BadRecord(f"{log.path}/{message_id}", reason, 1))
            return session
    except (sqlite3.Error, OSError) as error:
        return OpenCodeSession(problems=[not_read(log.path, error)])


def _rows(
    connection: sqlite3.Connection, question: str, log: LogFile, session: OpenCodeSession
) -> Iterator[tuple[sqlite3.Row, dict[str, Any]]]:
    """The rows whose ``data`` is an object, with it; the others are problems."""
    for number, row in enumerate(connection.execute(question, (split_path(log.path)[1],)), 1):
        data = row["data"]
        value = parse_json(data) if isinstance(data, str | bytes) and len(data) <= WHOLE_LIMIT else None
        if isinstance(value, dict):
            yield row, value
        else:
            session.problems.append(BadRecord(f"{log.path}/{row['id']}", "is not a JSON object", number))


def _info(connection: sqlite3.Connection, session_id: str) -> dict[str, Any]:
    row = connection.execute("SELECT * FROM session WHERE id = ?", (session_id,)).fetchone()
    if row is None:
        return {}
    value = dict(row)
    permission = value.get("permission")
    return {
        "id": session_id,
        "title": value.get("title"),
        "directory": value.get("directory"),
        "parentID": value.get("parent_id"),
        "permission": parse_json(permission) if isinstance(permission, str) else None,
        "time": {"created": value.get("time_created"), "updated": value.get("time_updated")},
    }


# Parts without a text: what a step cost, the state of the files before and after, who was mentioned.
_BOOKKEEPING = frozenset(("step-start", "step-finish", "snapshot", "patch", "agent", "compaction"))
_ENDED = frozenset(("completed", "error"))
_BARE_QUOTE = re.compile(r'(?<!\\)"')


@dataclass(frozen=True, slots=True)
class OpenCodeDraft(EntryDraft):
    """An entry of a message. ``done`` is when it was complete, by which it is sorted."""

    done: datetime | None = None


class OpenCodeMessages:
    """Reads the messages of one session. ``prompted`` is the author of what stands in a person's place."""

    def __init__(self, skipped: Counter[str], prompted: Origin) -> None:
        self._skipped = skipped
        self._prompted = prompted

    def drafts(self, message: dict[str, Any], *, is_last: bool) -> list[OpenCodeDraft] | None:
        """A message's entries in the order in which they were complete; None for one of an unknown author.

        The last message may still be written: its unfinished texts wait, so that what was read never changes.
        """
        info = object_of(message.get("info"))
        role = info.get("role")
        parts = objects_of(message.get("parts"))
        if role == "user":
            found = [draft for part in parts for draft in self._of_user(part)]
        elif role == "assistant":
            waiting = is_last and not info.get("error") and not object_of(info.get("time")).get("completed")
            found = [draft for part in parts for draft in self._of_assistant(part, info, waiting)]
            found += self._error(info)
        else:
            self._skipped[f"unknown author: {quoted(role)}"] += 1
            return None
        last = began = parse_instant(object_of(info.get("time")).get("created"))
        timed = []
        for draft in found:
            at = draft.at or last or began
            last = at
            timed.append(replace(draft, at=at, done=draft.done or at))
        return sorted(timed, key=lambda draft: draft.done.timestamp() if draft.done else 0.0)

    def _of_user(self, part: dict[str, Any]) -> Iterator[OpenCodeDraft]:
        kind = part.get("type")
        text = _clean(string_of(part.get("text")))
        if kind == "text" and text:
            text = _unquoted(text) if self._prompted == "program" else text
            made = part.get("synthetic") is True or part.get("ignored") is True
            origin: Origin = "injected" if made else speaker_of(text) or self._prompted
            yield OpenCodeDraft(
                "system" if made else "user", origin, text, at=_began(part), record_id=text_of(part.get("id"))
            )
        elif kind == "subtask" and (prompt := _clean(string_of(part.get("prompt")))):
            # A command of the user's that OpenCode handed to a subagent: the prompt is the command's, filled in.
            yield OpenCodeDraft("system", "injected", prompt, at=_began(part), record_id=text_of(part.get("id")))
        else:
            self._skip(kind)

    def _of_assistant(self, part: dict[str, Any], info: dict[str, Any], waiting: bool) -> Iterator[OpenCodeDraft]:
        kind = part.get("type")
        if kind == "tool":
            yield from self._tool(part)
            return
        text = _clean(string_of(part.get("text"))) if kind in ("text", "reasoning") else ""
        if not text:
            self._skip(kind)
            return
        done = parse_instant(object_of(part.get("time")).get("end"))
        if waiting and done is None:
            self._skipped["a text that is still being written"] += 1
            return
        role: Role = "reasoning" if kind == "reasoning" else "assistant"
        origin: Origin = "agent"
        if info.get("summary") is True and role == "assistant":
            role, origin = "system", "compaction"
        yield OpenCodeDraft(role, origin, text, at=_began(part), record_id=text_of(part.get("id")), done=done)

    def _tool(self, part: dict[str, Any]) -> Iterator[OpenCodeDraft]:
        state = object_of(part.get("state"))
        status = state.get("status")
        if status == "pending":
            self._skipped["a tool call that is still being written"] += 1
            return
        name, call_id = text_of(part.get("tool")) or "tool", text_of(part.get("callID"))
        key = text_of(part.get("id")) or call_id
        began = _began(state)
        text, use = describe_call(name, _arguments(state), call_id)
        yield OpenCodeDraft("tool", "tool", _clean(text), record_id=key and f"{key}:call", tool=use, at=began)
        if status not in _ENDED:
            return
        ended = parse_instant(object_of(state.get("time")).get("end"))
        exit_code = exit_code_of(object_of(state.get("metadata")).get("exit"))
        failed = status == "error" or bool(exit_code)
        output = string_of(state.get("error" if status == "error" else "output"))
        seconds = (ended - began).total_seconds() if began and ended and ended >= began else None
        use = ToolUse(name, "result", call_id, failed=failed, exit_code=exit_code, seconds=seconds)
        if output.strip():
            yield OpenCodeDraft(
                "tool", "tool", _clean(output), record_id=key and f"{key}:result", tool=use, at=ended, done=ended
            )
        else:
            self._skipped["empty result"] += 1

    def _error(self, info: dict[str, Any]) -> Iterator[OpenCodeDraft]:
        """Why the model gave no answer, or no more of it."""
        error = object_of(info.get("error"))
        said = ": ".join(
            filter(None, (text_of(error.get("name")), text_of(object_of(error.get("data")).get("message"))))
        )
        if said:
            at = parse_instant(object_of(info.get("time")).get("completed"))
            key = text_of(info.get("id"))
            yield OpenCodeDraft("system", "injected", said, at=at, record_id=key and f"{key}:error")

    def _skip(self, kind: Any) -> None:
        if kind in ("text", "reasoning", "subtask"):
            self._skipped["part without a text"] += 1
        elif kind == "file":
            self._skipped["attached file"] += 1
        elif kind == "retry":
            self._skipped["request tried again"] += 1
        elif isinstance(kind, str) and kind in _BOOKKEEPING:
            self._skipped["bookkeeping of a step"] += 1
        else:
            self._skipped[f"unknown type: {quoted(kind)}"] += 1


def _arguments(state: dict[str, Any]) -> Any:
    """A call's arguments; ``patchText`` by the name that patches have elsewhere, so that their files are found."""
    given = state.get("input")
    if isinstance(given, dict) and "patchText" in given and "patch" not in given:
        return {("patch" if key == "patchText" else key): value for key, value in given.items()}
    return given or text_of(state.get("raw"))


def _unquoted(text: str) -> str:
    """The prompt as it was given to `opencode run`, which puts quotes around an argument with a space in it."""
    inner = text[1:-1]
    is_quoted = len(text) > 2 and text[0] == text[-1] == '"' and not _BARE_QUOTE.search(inner)
    return inner.replace('\\"', '"') if is_quoted else text


def _began(part: dict[str, Any]) -> datetime | None:
    return parse_instant(object_of(part.get("time")).get("start"))


def _clean(text: str) -> str:
    """``text`` without embedded files; empty where nothing can be read in it."""
    return without_data(text) if text.strip() else ""
