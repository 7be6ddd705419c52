"""Cursor's chats in `state.vscdb`: a row for each chat, which lists its messages, and a row for each message."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from aicx.sources.databases import not_read, path_in, reading, split_path
from aicx.sources.items import BadRecord, LogFile
from aicx.sources.records import list_folder
from aicx.sources.values import items_of, object_of, objects_of, parse_json, string_of, text_of
from aicx.values import dataclass

AGENT = "cursor"
DATABASE = "cursor-database"
_STATE = "state.vscdb"
_CHATS = "SELECT substr(key, 14) AS id, rowid FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'"
# By the index of the keys alone: a row that is written again gets a new number.
_MESSAGES = """SELECT substr(key, 10, instr(substr(key, 10), ':') - 1) AS id, count(*) AS messages, max(rowid) AS newest
    FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' GROUP BY 1"""
_INLINE = """SELECT 1 FROM cursorDiskKV WHERE key = ? AND json_valid(value)
    AND json_array_length(value, '$.conversation') > 0"""


@dataclass(slots=True)
class CursorChat:
    """``messages`` are objects in the order of the chat, whatever else damage has put in the list."""

    about: dict[str, Any] = field(default_factory=dict)
    messages: list[Any] = field(default_factory=list)
    problems: list[BadRecord] = field(default_factory=list)
    unlisted: int = 0  # messages that the chat does not list: a person went back behind them
    missing: int = 0  # messages that it lists and that are not there


class _Listed(NamedTuple):
    messages: int
    marks: str


def list_chats(user: Path) -> Iterator[LogFile | BadRecord]:
    """The chats that have messages; empty ones are made whenever somebody opens the panel."""
    database = user / "globalStorage" / _STATE
    if not database.exists():
        return
    try:
        with reading(database) as connection:
            messages = {str(row["id"]): row for row in connection.execute(_MESSAGES)}
            chats: dict[str, _Listed] = {}
            for row in connection.execute(_CHATS).fetchall():
                own = messages.get(str(row["id"]))
                if own is not None:
                    marks = f"{row['rowid']}:{own['messages']}:{own['newest']}"
                    chats[str(row["id"])] = _Listed(own["messages"], marks)
                elif connection.execute(_INLINE, (f"composerData:{row['id']}",)).fetchone():
                    chats[str(row["id"])] = _Listed(1, str(row["rowid"]))
            size = database.stat().st_size
    except (sqlite3.Error, OSError) as error:
        yield not_read(database, error)
        return
    # How much of the file a chat takes would have to be read; its messages say how much of it that is.
    every = sum(one.messages for one in chats.values()) or 1
    for chat_id, one in sorted(chats.items()):
        yield LogFile(AGENT, DATABASE, path_in(database, chat_id), size * one.messages // every, one.marks)


def load_about(log: LogFile) -> dict[str, Any]:
    """What is said of a chat; empty where it cannot be read."""
    database, chat_id = split_path(log.path)
    try:
        with reading(database) as connection:
            return object_of(_value(connection, f"composerData:{chat_id}"))
    except (sqlite3.Error, OSError):
        return {}


def load_chat(log: LogFile) -> CursorChat:
    """A chat with its messages, and what could not be read of it."""
    database, chat_id = split_path(log.path)
    chat = CursorChat()
    try:
        with reading(database) as connection:
            about = _value(connection, f"composerData:{chat_id}")
            if not isinstance(about, dict):
                reason = "is no longer in the database" if about is None else "is not a JSON object"
                chat.problems.append(BadRecord(str(log.path), reason))
                return chat
            chat.about = about
            prefix = f"bubbleId:{chat_id}:"
            asked = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key"
            found: dict[str, dict[str, Any]] = {}
            for number, row in enumerate(connection.execute(asked, (prefix, f"{prefix[:-1]};")), 1):
                name, value = str(row["key"])[len(prefix) :], _parsed(row["value"])
                if isinstance(value, dict):
                    found[name] = value
                else:
                    chat.problems.append(BadRecord(f"{log.path}/{name}", "is not a JSON object", number))
    except (sqlite3.Error, OSError) as error:
        chat.problems.append(not_read(log.path, error))
        return chat
    broken = {problem.path.rpartition("/")[2] for problem in chat.problems}
    headers = items_of(about.get("fullConversationHeadersOnly"))
    for header in headers:
        name = string_of(object_of(header).get("bubbleId"))
        if name in found:
            chat.messages.append({"bubbleId": name, **found.pop(name)})
        elif name not in broken:
            chat.missing += 1
    chat.unlisted = len(found)
    if not headers:
        chat.messages += items_of(about.get("conversation"))
    return chat


def folder_of(log: LogFile, chat: CursorChat) -> str | None:
    """The working folder: as the chat or a message says it, else the workspace that lists the chat."""
    uri = object_of(object_of(chat.about.get("workspaceIdentifier")).get("uri"))
    if said := text_of(uri.get("fsPath")) or text_of(uri.get("path")):
        return said
    for message in objects_of(chat.messages):
        for one in items_of(message.get("workspaceUris")):
            if path := _path_of(one):
                return path
    database, chat_id = split_path(log.path)
    storage = database.parent.parent / "workspaceStorage"
    changed = storage.stat().st_mtime_ns if storage.is_dir() else 0
    return _workspaces(storage, changed).get(chat_id)


@lru_cache(4)
def _workspaces(storage: Path, _changed: int) -> dict[str, str]:
    """The folder of each chat that a workspace lists."""
    found: dict[str, str] = {}
    listing = list_folder(storage)
    for workspace in [] if isinstance(listing, BadRecord) else listing:
        try:
            folder = _path_of(object_of(parse_json((workspace / "workspace.json").read_bytes())).get("folder"))
            if folder is None:
                continue
            with reading(workspace / _STATE) as connection:
                asked = "SELECT value FROM ItemTable WHERE key = 'composer.composerData'"
                row = connection.execute(asked).fetchone()
        except (sqlite3.Error, OSError):
            continue  # a workspace that cannot be read lists nothing; the chat itself is read all the same
        listed = object_of(_parsed(row["value"])) if row else {}
        for chat in objects_of(listed.get("allComposers")):
            found[string_of(chat.get("composerId"))] = folder
    return found


def _path_of(uri: Any) -> str | None:
    """The path of a `file:` address."""
    parts = urlsplit(uri) if isinstance(uri, str) and uri.startswith("file://") else None
    if parts is None or parts.netloc:
        return None
    path = unquote(parts.path)
    # `/c:/work` is how an address writes a drive.
    return path[1:] if len(path) > 2 and path[2] == ":" else path


def _value(connection: sqlite3.Connection, key: str) -> Any:
    row = connection.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()
    return None if row is None or row["value"] is None else _parsed(row["value"])


def _parsed(value: Any) -> Any:
    found = parse_json(value) if isinstance(value, str | bytes) else None
    return False if found is None else found
