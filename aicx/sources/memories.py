"""An agent's own memories: Markdown files in a folder, each of them one entry in the version it has now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from aicx.sources.items import (
    BadRecord,
    LogFile,
    LogIdentity,
    SessionEvent,
    SkippedRecords,
    SourceItem,
    SourceRef,
    TimelineEntry,
)
from aicx.sources.records import LINE_LIMIT, changed_at, entries_of, stat_log, unreadable

_DEEPEST = 4  # folders below the one of the memories
# What Codex writes above the summary of a session.
_CWD = re.compile(r"^cwd: (\S.*)$", re.MULTILINE)
_HEAD = 2000


def memory_files(agent: str, form: str, folder: Path, depth: int = 0) -> Iterator[LogFile | BadRecord]:
    """The Markdown files below ``folder``; hidden ones are not memories, and links to folders are not followed."""
    for path in entries_of(folder) if folder.is_dir() else ():
        if isinstance(path, BadRecord):
            yield path
        elif path.name.startswith("."):
            continue
        elif path.suffix == ".md":
            yield stat_log(agent, form, path)
        elif depth < _DEEPEST and path.is_dir() and not path.is_symlink():
            yield from memory_files(agent, form, path, depth + 1)


def identify_memory(log: LogFile, session_id: str) -> LogIdentity:
    """All memories of a folder are one session. Only the file says when it was written."""
    return LogIdentity(session_id, changed_at(log.path))


def read_memory(log: LogFile, session_id: str, folder: Path, cwd: str | None) -> Iterator[SourceItem]:
    """The file as one entry. Its id is its name: a memory that is rewritten takes the place of what it was."""
    path, name = str(log.path), log.path.relative_to(folder).as_posix()
    at = changed_at(log.path)
    try:
        with log.path.open("rb") as stream:
            raw = stream.read(min(log.size, LINE_LIMIT + 1))
    except OSError as error:
        yield unreadable(log.path, error)
        return
    body = raw.decode("utf-8", "replace").strip()
    if len(raw) > LINE_LIMIT or b"\0" in raw:
        reason = "is not a text" if b"\0" in raw else f"file of {log.size} bytes is over the limit of {LINE_LIMIT}"
        yield BadRecord(path, reason, 1)
    elif at is None:
        yield BadRecord(path, "became unreadable while it was read")
    elif not body:
        yield SkippedRecords(path, "empty memory", 1)
    else:
        told = _CWD.search(body[:_HEAD])
        ref = SourceRef(path, 0, len(raw), sha256(raw).hexdigest())
        yield SessionEvent(session_id, title=f"What {log.agent.title()} remembers")
        yield TimelineEntry(
            log.agent,
            session_id,
            at,
            "artifact",
            f"Memory {name}\n\n{body}",
            ref,
            "artifact",
            cwd=told[1].strip() if told else cwd,
            record_id=f"{session_id}:{name}",
        )
