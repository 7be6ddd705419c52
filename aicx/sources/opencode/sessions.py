"""One session of OpenCode, from whichever layout has it: what is said of it, and its messages with their parts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from aicx.sources.databases import not_read, reading, split_path
from aicx.sources.items import BadRecord, LogFile
from aicx.sources.records import WHOLE_LIMIT, list_folder, read_json, read_json_cut, stat_log
from aicx.sources.values import object_of, parse_json, string_of
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
    """What a log says of its session; empty where it cannot be read."""
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
