"""OpenCode: one log a session, in `opencode.db`, in the files below `storage`, or exported."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.sources.databases import not_read, path_in, reading
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SourceItem, passed_over
from aicx.sources.opencode.messages import (
    AGENT,
    DATABASE,
    EXPORT,
    FILES,
    OpenCodeMessages,
    load_info,
    load_session,
    message_files,
)
from aicx.sources.records import changed_at, element_ref, entries_of, parse_instant, stat_log
from aicx.sources.values import CUT_OUT, object_of, objects_of, text_of
from aicx.types import AgentHomes

__all__ = ["AGENT", "DATABASE", "EXPORT", "FILES", "SOURCE", "OpenCodeSource"]
_UNTITLED = re.compile(r"(?:New|Child) session - \d{4}-")
# What `opencode run` forbids, since there is no one to ask.
_WITHOUT_A_PERSON = frozenset(("question", "plan_enter", "plan_exit"))


class OpenCodeSource:
    """The sessions of OpenCode. One that several layouts hold is one session, whose records have the same ids."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every session; those of a database by asking it, since there is nothing else to list."""
        folder = homes.opencode
        if folder is None:
            return
        for path in _session_files(folder / "export"):
            yield path if isinstance(path, BadRecord) else stat_log(AGENT, EXPORT, path)
        for kept, below in ((folder / "storage" / "session", ""), (folder / "project", "storage/session/info")):
            for project in _listed(kept):
                for path in [project] if isinstance(project, BadRecord) else _session_files(project / below):
                    yield path if isinstance(path, BadRecord) else _in_files(path)
        databases = [
            path
            for path in _listed(folder)
            if isinstance(path, BadRecord) or (path.name.startswith("opencode") and path.suffix == ".db")
        ]
        if homes.opencode_database is not None and homes.opencode_database.is_file():
            databases.append(homes.opencode_database)
        for database in databases:
            yield from [database] if isinstance(database, BadRecord) else _in_database(database)

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a log holds, by its own id and else by the log's name."""
        info = load_info(log)
        parent = text_of(info.get("parentID"))
        return LogIdentity(_session_id(log, info), _created(info), "subagent" if parent else "primary", parent)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The session's items, message by message."""
        session = load_session(log)
        yield from session.problems
        if not session.info and not session.messages:
            return
        info, path = session.info, str(log.path)
        session_id, parent, automated = _session_id(log, info), text_of(info.get("parentID")), _automated(info)
        title = text_of(info.get("title"))
        title = None if title and _UNTITLED.match(title) else title
        if title or parent or automated:
            event = SessionEvent(session_id, title=title, parent_session=parent, automated=automated)
            yield replace(event, lane="subagent") if parent else event
        skipped: Counter[str] = Counter({CUT_OUT: session.cut})
        messages = OpenCodeMessages(skipped, "agent" if parent else "program" if automated else "typed")
        last = _created(info) or changed_at(log.path)
        for index, message in enumerate(session.messages):
            if not isinstance(message, dict):
                yield BadRecord(path, "message is not an object", index + 1)
                continue
            drafts = messages.drafts(message, is_last=index == len(session.messages) - 1) or ()
            about = object_of(message.get("info"))
            for draft in drafts:
                at = draft.at or last
                if at is None:
                    yield BadRecord(path, "message without a time in a log without any", index + 1)
                    break
                last = at
                yield draft.placed(
                    *(AGENT, session_id, at, element_ref(path, index, message)),
                    record_id=draft.record_id,
                    cwd=text_of(object_of(about.get("path")).get("cwd")) or text_of(info.get("directory")),
                    model=text_of(about.get("modelID")) or text_of(object_of(about.get("model")).get("modelID")),
                )
        yield from passed_over(path, skipped)

    def elements(self, log: LogFile) -> list[Any]:
        """The messages that the spans of stored chunks count."""
        return load_session(log).messages


SOURCE = OpenCodeSource()


def _listed(folder: Path) -> Sequence[Path | BadRecord]:
    return entries_of(folder) if folder.is_dir() else ()


def _session_files(folder: Path) -> Iterator[Path | BadRecord]:
    for path in _listed(folder):
        if isinstance(path, BadRecord) or (path.suffix == ".json" and path.name.startswith("ses_")):
            yield path


def _in_files(path: Path) -> LogFile | BadRecord:
    """A session kept in files. The file of a message is written again when the message is complete, after its parts."""
    log = stat_log(AGENT, FILES, path)
    messages = message_files(path)
    if isinstance(log, BadRecord) or isinstance(messages, BadRecord):
        return log
    listed = [log, *(stat_log(AGENT, FILES, message) for message in messages)]
    found = [one for one in listed if isinstance(one, LogFile)]
    size = sum(one.size for one in found)
    marks = sha256("".join(one.fingerprint for one in found).encode()).hexdigest()[:16]
    return LogFile(AGENT, FILES, path, size, f"{size}:{len(listed)}:{marks}")


def _in_database(database: Path) -> Iterator[LogFile | BadRecord]:
    try:
        with reading(database) as connection:
            rows = connection.execute(
                "SELECT s.id, s.time_updated, count(m.id) AS messages, max(m.time_updated) AS changed,"
                " (SELECT count(*) FROM part p WHERE p.session_id = s.id) AS parts"
                " FROM session s LEFT JOIN message m ON m.session_id = s.id GROUP BY s.id ORDER BY s.id"
            ).fetchall()
            size = database.stat().st_size
    except (sqlite3.Error, OSError) as error:
        yield not_read(database, error)
        return
    # How much of the file a session takes would have to be read; its parts say how much of it that is.
    every = sum(row["parts"] for row in rows) or 1
    for row in rows:
        marks = ":".join(str(row[name]) for name in ("time_updated", "messages", "changed", "parts"))
        yield LogFile(AGENT, DATABASE, path_in(database, str(row["id"])), size * row["parts"] // every, marks)


def _session_id(log: LogFile, info: dict[str, Any]) -> str:
    return (text_of(info.get("id")) if log.format == EXPORT else None) or log.path.stem


def _created(info: dict[str, Any]) -> datetime | None:
    return parse_instant(object_of(info.get("time")).get("created"))


def _automated(info: dict[str, Any]) -> str | None:
    """The evidence that a program gave the prompts: what `opencode run` alone forbids."""
    denied = {rule.get("permission") for rule in objects_of(info.get("permission")) if rule.get("action") == "deny"}
    is_run = denied.issuperset(_WITHOUT_A_PERSON) and not info.get("parentID")
    return "started by opencode run" if is_run else None
