"""A transcript of Cursor's agent: what was said and which tools were called, without their results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from aicx.sources.cursor.database import AGENT
from aicx.sources.embedded import CUT_OUT
from aicx.sources.file_times import changed_at
from aicx.sources.items import BadRecord, LogFile, SkippedRecords, SourceItem, TimelineEntry, ToolUse
from aicx.sources.records import RawRecord, list_folder, parse_instant, read_jsonl
from aicx.sources.tools import describe_call
from aicx.sources.values import items_of, object_of, parse_json, quoted, string_of, text_of
from aicx.sources.voices import speaker_of
from aicx.types import Origin, Role

TRANSCRIPT = "cursor-transcript"
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
    yield from (SkippedRecords(path, reason, count) for reason, count in skipped.items() if count)


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
    """What the agent noted of a session beside the transcripts: its folder and when it began."""
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
