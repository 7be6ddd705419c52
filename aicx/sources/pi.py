"""Pi: the sessions below ``~/.pi/agent/sessions``, a folder for each working folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.sources.items import BadRecord, LogFile, LogIdentity, SessionEvent, SourceItem, TimelineEntry, ToolUse
from aicx.sources.records import RawRecord, entries_of, first_of_type, items_of_records, parse_instant, stat_log
from aicx.sources.tools import describe_call
from aicx.sources.values import exit_code_of, items_of, object_of, quoted, string_of, text_of, without_data
from aicx.sources.voices import speaker_of
from aicx.types import AgentHomes, Origin, Role

AGENT = "pi"
_BOOKKEEPING = frozenset(("session", "thinking_level_change", "label"))
# What extensions keep for themselves, and what they put before the model for a single request.
_OF_EXTENSIONS = frozenset(("custom", "context_transform", "ephemeral"))
# Pi adds it below what a command printed that failed.
_EXITED = re.compile(r"(?:^|\n)Command exited with code (-?\d{1,10})\s*\Z")


class PiTimeline:
    """Reads the records of one log in their order."""

    def __init__(self, path: str, session_id: str, cwd: str | None, began: datetime | None) -> None:
        self._path = path
        self._session_id = session_id
        self._cwd = cwd
        self._at = began
        self._model: str | None = None
        self.skipped: Counter[str] = Counter()

    def skip(self, reason: str) -> None:
        self.skipped[reason] += 1

    def take(self, record: RawRecord) -> Iterator[SourceItem]:
        """The items of one record."""
        value = record.value
        kind, message = value.get("type"), object_of(value.get("message"))
        self._at = parse_instant(message.get("timestamp")) or parse_instant(value.get("timestamp")) or self._at
        if kind == "session_info":
            name = string_of(value.get("name")).strip()
            if name:
                yield SessionEvent(self._session_id, title=name)
            self.skip("bookkeeping")
        elif kind == "model_change":
            self._model = text_of(value.get("modelId")) or self._model
            self.skip("bookkeeping")
        elif isinstance(kind, str) and kind in _BOOKKEEPING:
            self.skip("bookkeeping")
        elif isinstance(kind, str) and kind in _OF_EXTENSIONS:
            self.skip("kept by an extension")
        elif self._at is None:
            yield BadRecord(self._path, "record without a time in a log without any", record.line)
        elif kind == "message":
            self._model = text_of(message.get("model")) or self._model
            yield from self._message(message, record, self._at)
        elif kind in ("compaction", "branch_summary"):
            yield from self._say(record, self._at, "system", "compaction", string_of(value.get("summary")))
        elif kind == "custom_message":
            yield from self._say(record, self._at, "system", "injected", self._text(value.get("content")))
        else:
            self.skip(f"unknown type: {quoted(kind)}")

    def _message(self, message: dict[str, Any], record: RawRecord, at: datetime) -> Iterator[TimelineEntry]:
        role = message.get("role")
        content = message.get("content")
        if role == "user":
            text = self._text(content)
            yield from self._say(record, at, "user", speaker_of(text) or "typed", text)
        elif role == "assistant":
            yield from self._answer(message, items_of(content), record, at)
        elif role == "toolResult":
            name, text = text_of(message.get("toolName")) or "tool", self._text(content)
            failed = message.get("isError") if isinstance(message.get("isError"), bool) else None
            exited = _EXITED.search(text) if name == "bash" and failed else None
            code = int(exited[1]) if exited else None
            use = ToolUse(name, "result", text_of(message.get("toolCallId")), failed=failed, exit_code=code)
            yield from self._say(record, at, "tool", "tool", text, ":result", use)
        elif role == "bashExecution":  # a command that the person ran
            text, use = describe_call("bash", {"command": string_of(message.get("command"))})
            yield from self._say(record, at, "tool", "tool", text, ":call", use)
            exit_code = exit_code_of(message.get("exitCode"))
            failed = None if exit_code is None else exit_code != 0
            use = ToolUse("bash", "result", failed=failed, exit_code=exit_code)
            yield from self._say(record, at, "tool", "tool", string_of(message.get("output")), ":result", use)
        elif role in ("custom", "hookMessage"):
            yield from self._say(record, at, "system", "injected", self._text(content))
        elif role in ("compactionSummary", "branchSummary"):
            yield from self._say(record, at, "system", "compaction", string_of(message.get("summary")))
        else:
            self.skip(f"unknown author: {quoted(role)}")

    def _answer(
        self, message: dict[str, Any], blocks: list[Any], record: RawRecord, at: datetime
    ) -> Iterator[TimelineEntry]:
        for number, block in enumerate(blocks):
            part = object_of(block)
            suffix = f":{number}" if number else ""
            match part.get("type"):
                case "text":
                    yield from self._say(record, at, "assistant", "agent", string_of(part.get("text")), suffix)
                case "thinking":
                    yield from self._say(record, at, "reasoning", "agent", string_of(part.get("thinking")), suffix)
                case "toolCall":
                    name, call_id = text_of(part.get("name")) or "tool", text_of(part.get("id"))
                    text, use = describe_call(name, part.get("arguments"), call_id)
                    yield from self._say(record, at, "tool", "tool", text, suffix, use)
                case kind:
                    self.skip(f"unknown type: {quoted(kind)}")
        if error := string_of(message.get("errorMessage")):
            yield from self._say(record, at, "system", "injected", error, ":error")

    def _text(self, content: Any) -> str:
        """The texts of a content; pictures are counted."""
        texts = []
        for block in content if isinstance(content, list) else [content]:
            part = object_of(block)
            if isinstance(block, str):
                texts.append(block)
            elif part.get("type") == "text":
                texts.append(string_of(part.get("text")))
            elif part:
                self.skip("picture" if part.get("type") == "image" else f"unknown type: {quoted(part.get('type'))}")
        return "\n".join(filter(None, texts))

    def _say(
        self,
        record: RawRecord,
        at: datetime,
        role: Role,
        origin: Origin,
        text: str,
        suffix: str = "",
        tool: ToolUse | None = None,
    ) -> Iterator[TimelineEntry]:
        if not text.strip():
            self.skip("record without a text")
            return
        # Pi's ids are short, and told apart within a session only; the time makes them one of all.
        key, when = text_of(record.value.get("id")), record.value.get("timestamp")
        yield TimelineEntry(
            AGENT,
            self._session_id,
            at,
            role,
            without_data(text),
            record.ref(self._path),
            origin,
            cwd=self._cwd,
            record_id=f"{when}:{key}{suffix}" if key else None,
            model=self._model if role in ("assistant", "reasoning") else None,
            tool=tool,
        )


__all__ = ["AGENT", "FORMAT", "SOURCE", "PiSource"]
FORMAT = "pi-jsonl"
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class PiSource:
    """A session's file is a tree, of which a person can take up any branch; all that was said in it is read."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        for folder in entries_of(homes.pi / "sessions") if homes.pi is not None else ():
            if isinstance(folder, BadRecord):
                yield folder
                continue
            for path in entries_of(folder) if folder.is_dir() else ():
                if isinstance(path, BadRecord):
                    yield path
                elif path.suffix == ".jsonl":
                    yield stat_log(AGENT, FORMAT, path)

    def identify(self, log: LogFile) -> LogIdentity:
        """The session that the first record names; one without goes by the name of its file."""
        header = first_of_type(log, "session")
        parent = text_of(header.get("parentSession")) or text_of(header.get("branchedFrom"))
        began = parse_instant(header.get("timestamp"))
        return LogIdentity(_session_id(log, header), began, parent_session=parent and _named(parent))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The session's items in file order."""
        identity, header = self.identify(log), first_of_type(log, "session")
        session_id = identity.session_id or log.path.stem
        if identity.parent_session:
            yield SessionEvent(session_id, parent_session=identity.parent_session)
        timeline = PiTimeline(str(log.path), session_id, text_of(header.get("cwd")), identity.started_at)
        yield from items_of_records(log, timeline.take, timeline.skipped)


SOURCE = PiSource()


def _session_id(log: LogFile, header: dict[str, Any]) -> str:
    return text_of(header.get("id")) or _named(log.path.name)


def _named(path: str) -> str:
    """The session that a log is of, by its path: the id stands behind the time in its name."""
    stem = Path(path.replace("\\", "/")).stem
    found = _UUID.findall(stem)
    return string_of(found[-1]) if found else stem
