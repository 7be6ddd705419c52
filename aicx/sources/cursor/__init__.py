"""Cursor: the chats of the editor in `state.vscdb`, and the transcripts below ``~/.cursor/projects``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.sources.cursor.chats import (
    AGENT,
    DATABASE,
    TRANSCRIPT,
    folder_of,
    list_chats,
    load_about,
    load_chat,
    read_transcript,
)
from aicx.sources.databases import split_path
from aicx.sources.items import (
    BadRecord,
    EntryDraft,
    LogFile,
    LogIdentity,
    SessionEvent,
    SourceItem,
    ToolUse,
    passed_over,
)
from aicx.sources.records import changed_at, element_ref, entries_of, parse_instant, stat_log
from aicx.sources.tools import describe_call
from aicx.sources.values import exit_code_of, object_of, parse_json, quoted, string_of, text_of
from aicx.sources.voices import speaker_of
from aicx.types import AgentHomes

__all__ = ["AGENT", "DATABASE", "SOURCE", "TRANSCRIPT", "CursorSource"]


class CursorSource:
    """A chat that is in the database is read there: its transcript, if there is one, has less of it."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every chat, those of the database by asking it, and every transcript of a chat that is not among them."""
        known: set[str] = set()
        for item in list_chats(homes.cursor_user) if homes.cursor_user is not None else ():
            if isinstance(item, LogFile):
                known.add(split_path(item.path)[1])
            yield item
        for project in _listed(homes.cursor / "projects") if homes.cursor is not None else ():
            found = [project] if isinstance(project, BadRecord) else _transcripts(project / "agent-transcripts")
            for item in found:
                if isinstance(item, BadRecord) or item.path.stem not in known:
                    yield item

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a log holds, by its name; a subagent's transcript is below that of its parent."""
        if log.format == TRANSCRIPT:
            parent = log.path.parent.parent.name if log.path.parent.name == "subagents" else None
            return LogIdentity(log.path.stem, changed_at(log.path), "subagent" if parent else "primary", parent)
        return LogIdentity(split_path(log.path)[1], parse_instant(load_about(log).get("createdAt")))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The log's items in their order."""
        if log.format == TRANSCRIPT:
            identity = self.identify(log)
            session_id = identity.session_id or log.path.stem
            if identity.parent_session:
                yield SessionEvent(session_id, parent_session=identity.parent_session, lane="subagent")
            yield from read_transcript(log, session_id, "agent" if identity.parent_session else "typed")
        else:
            yield from _read_chat(log)

    def elements(self, log: LogFile) -> list[Any] | None:
        """The messages that the spans of stored chunks count; those of a transcript are bytes."""
        return load_chat(log).messages if log.format == DATABASE else None


SOURCE = CursorSource()


def _read_chat(log: LogFile) -> Iterator[SourceItem]:
    chat, path, session_id = load_chat(log), str(log.path), split_path(log.path)[1]
    yield from chat.problems
    if title := text_of(chat.about.get("name")):
        yield SessionEvent(session_id, title=title)
    skipped = Counter({"message that was taken back": chat.unlisted, "message that is not there": chat.missing})
    cwd = folder_of(log, chat) if chat.messages else None
    at = parse_instant(chat.about.get("createdAt"))
    for index, message in enumerate(chat.messages):
        if not isinstance(message, dict):
            yield BadRecord(path, "message is not an object", index + 1)
            continue
        at = instant_of(message) or at
        key = text_of(message.get("bubbleId"))
        for draft in drafts_of(message, skipped):
            if at is None:
                yield BadRecord(path, "message without a time in a log without any", index + 1)
                break
            yield draft.placed(
                *(AGENT, session_id, at, element_ref(path, index, message)),
                record_id=key and f"{key}{draft.suffix}",
                cwd=cwd,
                model=model_of(message, chat.about) if draft.role in ("assistant", "reasoning") else None,
            )
    yield from passed_over(path, skipped)


def _listed(folder: Path) -> Sequence[Path | BadRecord]:
    return entries_of(folder) if folder.is_dir() else ()


def _transcripts(folder: Path) -> Iterator[LogFile | BadRecord]:
    """The transcripts of a project: in a folder each, with those of its subagents, or, of old, side by side."""
    for path in _listed(folder):
        if isinstance(path, BadRecord):
            yield path
        elif path.suffix == ".jsonl":
            yield stat_log(AGENT, TRANSCRIPT, path)
        elif path.is_dir() and not path.is_symlink():
            own = path / f"{path.name}.jsonl"
            if own.is_symlink() or own.exists():
                yield stat_log(AGENT, TRANSCRIPT, own)
            for one in _listed(path / "subagents"):
                if isinstance(one, BadRecord):
                    yield one
                elif one.suffix == ".jsonl":
                    yield stat_log(AGENT, TRANSCRIPT, one)


_USER, _ASSISTANT = 1, 2
_ENDED = {"completed": False, "error": True, "cancelled": True}
# Where the result of a tool keeps what it printed.
_PRINTED = ("output", "contents", "content", "stdout", "result", "text", "error")


def drafts_of(message: dict[str, Any], skipped: Counter[str]) -> Iterator[EntryDraft]:
    """The entries of one message: of a person, or of the agent, which thinks, speaks or calls a tool in it."""
    kind, text = message.get("type"), string_of(message.get("text"))
    if kind == _USER:
        if text.strip():
            yield EntryDraft("user", speaker_of(text) or "typed", text)
        else:
            skipped["message without a text"] += 1
        return
    if kind != _ASSISTANT:
        skipped[f"unknown type: {quoted(kind)}"] += 1
        return
    thought, tool = string_of(object_of(message.get("thinking")).get("text")), message.get("toolFormerData")
    if thought.strip():
        yield EntryDraft("reasoning", "agent", thought, "#thinking")
    if text.strip():
        yield EntryDraft("assistant", "agent", text)
    error = string_of(object_of(message.get("errorDetails")).get("message"))
    if error.strip():
        yield EntryDraft("system", "injected", error, "#error")
    if isinstance(tool, dict) and (tool.get("name") or tool.get("toolCallId")):
        yield from _tool(tool, skipped)
    elif not any(one.strip() for one in (thought, text, error)):
        skipped["message without a text"] += 1


def instant_of(message: dict[str, Any]) -> datetime | None:
    """When a message was written; many have no time of their own."""
    timing = object_of(message.get("timingInfo"))
    return parse_instant(message.get("createdAt")) or parse_instant(timing.get("clientRpcSendTime"))


def model_of(message: dict[str, Any], about: dict[str, Any]) -> str | None:
    found = text_of(object_of(message.get("modelInfo")).get("modelName"))
    found = found or text_of(object_of(about.get("modelConfig")).get("modelName"))
    return None if found == "default" else found


def _tool(tool: dict[str, Any], skipped: Counter[str]) -> Iterator[EntryDraft]:
    name, call_id = text_of(tool.get("name")) or "tool", text_of(tool.get("toolCallId"))
    text, use = describe_call(name, _decoded(tool.get("rawArgs")) or _decoded(tool.get("params")), call_id)
    yield EntryDraft("tool", "tool", text, "#call", tool=use)
    status = string_of(tool.get("status"))
    if status and status not in _ENDED:
        return
    result = _decoded(tool.get("result"))
    answer = object_of(result)
    printed = next((said for key in _PRINTED if (said := text_of(answer.get(key)))), None)
    printed = printed or string_of(tool.get("result")) or string_of(tool.get("error"))
    failed = _ENDED.get(status)
    exit_code = exit_code_of(answer.get("exitCodeV2", answer.get("exitCode")))
    use = ToolUse(name, "result", call_id, failed=True if exit_code else failed, exit_code=exit_code)
    text = printed if printed.strip() else status if failed else ""
    if text:
        yield EntryDraft("tool", "tool", text, "#result", tool=use)
    else:
        skipped["empty result"] += 1


def _decoded(value: Any) -> Any:
    """Arguments and results are JSON in a string, or, in some versions, the value itself."""
    if not isinstance(value, str):
        return value
    found = parse_json(value)
    return found if isinstance(found, dict | list) else value or None
