"""Cursor's chats: the transcripts of its agent, without the results of calls, and the rows of `state.vscdb`.

There a chat has a row that lists its messages, and each message one of its own.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import unquote, urlsplit

from aicx.sources.databases import not_read, path_in, reading, split_path
from aicx.sources.items import BadRecord, LogFile, SourceItem, TimelineEntry, ToolUse, passed_over
from aicx.sources.records import RawRecord, changed_at, list_folder, parse_instant, read_jsonl
from aicx.sources.tools import describe_call
from aicx.sources.values import CUT_OUT, items_of, object_of, objects_of, parse_json, quoted, string_of, text_of
from aicx.sources.voices import speaker_of
from aicx.types import Origin, Role
from aicx.values import dataclass

AGENT = "cursor"
TRANSCRIPT = "cursor-transcript"
DATABASE = "cursor-database"
_QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)
_STAMP = re.compile(r"<timestamp>(.*?)</timestamp>\n?", re.DOTALL)
# As in `Sunday, Sep 20, 2026, 12:31 AM (UTC+3)`.
_SAID_TIME = re.compile(
    r"\w+, (\w{3})\w* (\d{1,2}), (\d{4}), (\d{1,2}):(\d{2}) ([AP])M(?: \(UTC(?:([+-])(\d{1,2})(?::(\d{2}))?)?\))?"
)
_MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec"
_UNREADABLE = "[REDACTED]"  # what Cursor writes in the place of a thought
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9]+")


def read_transcript(log: LogFile, session_id: str, prompted: Origin) -> Iterator[SourceItem]:
    """The entries of a transcript. It has neither ids nor, for the most part, times: a line's number is its id."""
    path, skipped = str(log.path), Counter[str]()
    about = _about(log)
    at = parse_instant(about.get("createdAtMs")) or changed_at(log.path)
    cwd = text_of(about.get("cwd")) or _folder(log)
    for item in read_jsonl(log):
        if isinstance(item, BadRecord):
            yield item
            continue
        skipped[CUT_OUT] += item.cut
        message = object_of(item.value.get("message"))
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else items_of(content)
        if item.value.get("role") not in ("user", "assistant"):
            kind = item.value.get("type")
            skipped["bookkeeping" if kind == "turn_ended" else f"unknown type: {quoted(kind)}"] += 1
            continue
        for number, block in enumerate(map(object_of, blocks)):
            for part, (role, origin, text, tool) in enumerate(_said(item.value["role"], block, prompted, skipped)):
                at = _time_in(string_of(block.get("text"))) or at
                if at is None:
                    yield BadRecord(path, "record without a time in a log without any", item.line)
                    break
                key = f"{session_id}:{item.line}:{number}:{part}"
                ref = item.ref(path)
                yield TimelineEntry(AGENT, session_id, at, role, text, ref, origin, cwd=cwd, record_id=key, tool=tool)
    yield from passed_over(path, skipped)


def _said(
    speaker: str, block: Mapping[str, Any], prompted: Origin, skipped: Counter[str]
) -> Iterator[tuple[Role, Origin, str, ToolUse | None]]:
    kind, text = block.get("type"), string_of(block.get("text"))
    if kind == "tool_use":
        said, use = describe_call(text_of(block.get("name")) or "tool", block.get("input"), text_of(block.get("id")))
        yield "tool", "tool", said, use
    elif kind != "text":
        skipped[f"unknown type: {quoted(kind)}"] += 1
    elif speaker == "assistant":
        answer = text.replace(_UNREADABLE, "").strip()
        if answer:
            yield "assistant", "agent", answer, None
        else:
            skipped["thought that cannot be read" if text.strip() else "message without a text"] += 1
    else:
        typed = "\n".join(_QUERY.findall(text)).strip()
        rest = _STAMP.sub("", _QUERY.sub("", text)).strip()
        if not typed and rest and speaker_of(rest) is None and not rest.startswith("<"):
            typed, rest = rest, ""
        if typed:
            yield "user", speaker_of(typed) or prompted, typed, None
        if rest:
            yield "system", "injected", rest, None
        if not typed and not rest:
            skipped["message without a text"] += 1


def _time_in(text: str) -> datetime | None:
    """The time that Cursor puts above a prompt."""
    stamp = _STAMP.search(text)
    found = _SAID_TIME.search(stamp[1]) if stamp else None
    if found is None or (month := _MONTHS.find(found[1])) < 0:
        return None
    hour = int(found[4]) % 12 + (12 if found[6] == "P" else 0)
    minutes = int(found[8] or 0) * 60 + int(found[9] or 0)
    zone = timezone(timedelta(minutes=-minutes if found[7] == "-" else minutes))
    try:
        local = datetime(int(found[3]), month // 3 + 1, int(found[2]), hour, int(found[5]), tzinfo=zone)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _about(log: LogFile) -> dict[str, Any]:
    """The agent's note on a session beside the transcripts: its folder and when it began."""
    home = next((above.parent for above in log.path.parents if above.name == "projects"), None)
    workspaces = list_folder(home / "chats") if home else []
    for workspace in [] if isinstance(workspaces, BadRecord) else workspaces:
        try:
            return object_of(parse_json((workspace / log.path.stem / "meta.json").read_bytes()))
        except OSError:
            continue  # most workspaces have other sessions
    return {}


def _folder(log: LogFile) -> str | None:
    """The working folder: the project's name writes it in a form that many folders share, so a call must have named it.

    The folder is known from a path in a call whose beginning is written like the project's name.
    """
    project = next((above.name for above in log.path.parents if above.parent.name == "projects"), None)
    for item in read_jsonl(log) if project else ():
        content = object_of(item.value.get("message")).get("content") if isinstance(item, RawRecord) else None
        for block in map(object_of, items_of(content)):
            for value in object_of(block.get("input")).values():
                if isinstance(value, str) and len(value) < 4096 and (found := _above(value, str(project))):
                    return found
    return None


def _above(path: str, project: str) -> str | None:
    """The folder above ``path``, or it itself, whose name as a project is ``project``."""
    pure = PureWindowsPath(path) if path[1:3] in (":\\", ":/") else PurePosixPath(path)
    if not pure.is_absolute():
        return None
    named = (folder for folder in (pure, *pure.parents) if _NOT_PLAIN.sub("-", str(folder)).strip("-") == project)
    return next(map(str, named), None)


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


def list_chats(user: Path) -> Iterator[LogFile | BadRecord]:
    """The chats that have messages; empty ones are made whenever somebody opens the panel."""
    database = user / "globalStorage" / _STATE
    if not database.exists():
        return
    try:
        with reading(database) as connection:
            messages = {str(row["id"]): row for row in connection.execute(_MESSAGES)}
            chats: dict[str, tuple[int, str]] = {}  # how many messages, and what changes with them
            for row in connection.execute(_CHATS).fetchall():
                own = messages.get(str(row["id"]))
                if own is not None:
                    marks = f"{row['rowid']}:{own['messages']}:{own['newest']}"
                    chats[str(row["id"])] = own["messages"], marks
                elif connection.execute(_INLINE, (f"composerData:{row['id']}",)).fetchone():
                    chats[str(row["id"])] = 1, str(row["rowid"])
            size = database.stat().st_size
    except (sqlite3.Error, OSError) as error:
        yield not_read(database, error)
        return
    # How much of the file a chat takes would have to be read; its messages say how much of it that is.
    every = sum(count for count, _ in chats.values()) or 1
    for chat_id, (count, marks) in sorted(chats.items()):
        yield LogFile(AGENT, DATABASE, path_in(database, chat_id), size * count // every, marks)


def load_about(log: LogFile) -> dict[str, Any]:
    """A chat's own row; empty where it cannot be read."""
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
