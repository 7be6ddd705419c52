"""Reads one Claude Code session log: every record becomes timeline entries, a fact, or a counted omission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import blake2b
from typing import Any

from aicx.sources.claude.queue import PromptQueue
from aicx.sources.claude.text import classify_speakers, cut_additions
from aicx.sources.claude.turns import ClaudeDraft, Turns, how_started, message_blocks
from aicx.sources.items import (
    BadRecord,
    LogFile,
    LogIdentity,
    ReadPoint,
    RecordMarks,
    RecordsEnd,
    SessionEvent,
    SourceItem,
    SourceRef,
    TimelineEntry,
    passed_over,
    record_mark,
)
from aicx.sources.records import RawRecord, parse_instant
from aicx.sources.values import CUT_OUT, object_of, quoted, string_of, text_of
from aicx.types import PROMPTS

_BOOKKEEPING = frozenset(
    {
        *("agent-color", "agent-name", "agent-setting", "atis-latch", "file-history-delta", "file-history-snapshot"),
        *("last-prompt", "mode", "permission-mode", "task-summary", "worktree-state"),
    }
)
_TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
_KINDS = {"tool_use": "tool_use", "tool_call": "tool_use", "tool_result": "tool_result", "tool_output": "tool_result"}
_NAMES = ("name", "tool_name", "toolName", "tool")
_INPUTS = ("input", "tool_input", "toolInput", "arguments")
_OUTPUTS = ("content", "output", "tool_output", "toolOutput", "result")
_CALL_IDS = ("tool_use_id", "toolUseId", "toolUseID", "call_id", "id")


class ClaudeLogReader:
    """The state of reading one log from its first record to its last, or from where a reader before it was."""

    def __init__(self, log: LogFile, identity: LogIdentity) -> None:
        self._log = log
        self._path = str(log.path)
        self._session_id = identity.session_id or log.path.stem
        self._subagent = identity.lane == "subagent"
        self._first_at = identity.started_at
        self._at: datetime | None = None
        self._cwd: str | None = None
        self._branch: str | None = None
        self._title: str | None = None  # by its hash
        self._titled_by_hand = False
        self._automated = False
        self._skipped: Counter[str] = Counter()
        self._turns = Turns(self._skipped, subagent=self._subagent)
        self._queue = PromptQueue()

    def items(self, records: Iterable[RawRecord | BadRecord]) -> Iterator[SourceItem]:
        """Everything that the log's records hold, in file order."""
        every = self.items_on(records, 0, {}, self._log.size)
        return (item for item in every if not isinstance(item, ReadPoint | RecordsEnd))

    def items_on(
        self, records: Iterable[RawRecord | BadRecord], line: int, state: Mapping[str, Any], points_from: int
    ) -> Iterator[SourceItem | ReadPoint | RecordsEnd]:
        """Everything in the records behind the line with the number ``line``, where a `ReadPoint` had ``state``.

        With the `ReadPoint`s at or behind the byte ``points_from``.
        """
        held: TimelineEntry | None = None  # the last entry, until it is certain that it will not go on
        message: str | None = None
        marks = bytearray()
        if state:
            self._take_up(state)
        for record in records:
            follows = record.line != line  # else it is glued to the one before, or to something broken
            line = record.line or line
            if isinstance(record, BadRecord):
                yield record
                continue
            is_free = follows and record.start >= points_from and self._queue.is_empty
            before = self._point(record, len(marks)) if is_free else None
            self._skipped[CUT_OUT] += record.cut
            if record_id := text_of(record.value.get("uuid")):
                marks += record_mark(record_id)
            for item, part_of in self._place_all(self._read(record), record):
                if not isinstance(item, TimelineEntry):
                    yield item
                    before = None
                elif held and part_of is not None and part_of == message:
                    held, before = replace(held, text=f"{held.text}\n\n{item.text}"), None
                else:
                    if held:
                        yield held
                        if before:
                            yield before
                    held, message, before = item, part_of, None
        yield RecordsEnd()
        if held:
            yield held
        # Typed, and never sent as far as the log goes.
        yield from self._queue.rest()
        if marks:
            yield RecordMarks(bytes(marks))
        yield from passed_over(self._path, self._skipped)

    def _point(self, record: RawRecord, marks: int) -> ReadPoint:
        """The place before a record, to be read on from if the first thing it says is an entry of its own."""
        known = (self._at, self._cwd, self._branch, self._title, self._titled_by_hand, self._automated)
        return ReadPoint(record.start, record.line - 1, marks, partial(self._state, known, self._turns.calls_known))

    def _state(self, known: tuple[Any, ...], calls: int) -> dict[str, Any]:
        at, *others = known
        return {"known": [at.isoformat() if at else None, *others], "calls": self._turns.calls(calls)}

    def _take_up(self, state: Mapping[str, Any]) -> None:
        at, self._cwd, self._branch, self._title, self._titled_by_hand, self._automated = state["known"]
        self._at = datetime.fromisoformat(at) if at else None
        self._turns.take_up(state["calls"])

    def _place_all(
        self, items: Iterator[ClaudeDraft | SourceItem], record: RawRecord
    ) -> Iterator[tuple[SourceItem, str | None]]:
        """Each item with its place and time, and the message it is a part of."""
        ref: SourceRef | None = None
        for item in items:
            if isinstance(item, ClaudeDraft):
                ref = ref or record.ref(self._path)
                yield self._place(item, ref, record.line), item.message
            else:
                yield item, None

    def _place(self, draft: ClaudeDraft, ref: SourceRef, line: int) -> TimelineEntry | BadRecord:
        at = self._at or self._first_at
        if at is None:
            return BadRecord(self._path, "has no timestamp, nor has any record around it", line)
        return TimelineEntry(
            "claude",
            self._session_id,
            at,
            draft.role,
            draft.text,
            ref,
            draft.origin,
            cwd=self._cwd,
            branch=self._branch,
            record_id=draft.record_id,
            model=draft.model,
            tool=draft.tool,
        )

    def _read(self, record: RawRecord) -> Iterator[ClaudeDraft | SourceItem]:
        value = record.value
        self._at = parse_instant(value.get("timestamp")) or self._at
        self._cwd = text_of(value.get("cwd")) or self._cwd
        if "gitBranch" in value:
            branch = text_of(value.get("gitBranch"))
            self._branch = None if branch == "HEAD" else branch  # a detached checkout is on no branch
        kind = text_of(value.get("type")) or "none"
        if kind in ("user", "assistant"):
            yield from self._message(kind, record)
        elif kind == "system":
            yield from self._with_queue(self._turns.system(value))
        elif kind == "attachment":
            yield from self._with_queue(self._turns.attachment(value))
        elif kind == "queue-operation":
            yield from self._queue_operation(record)
        elif kind in _KINDS:
            yield from self._tool_record(kind, record)
        elif kind in _TITLES or kind in ("summary", "pr-link"):
            fact = self._fact(kind, value)
            if fact:
                yield fact
            else:
                self._skipped[f"{kind} that says nothing new"] += 1
        else:
            self._skipped[_omission(kind, value)] += 1

    def _message(self, kind: str, record: RawRecord) -> Iterator[ClaudeDraft | SourceItem]:
        blocks = message_blocks(record.value)
        if blocks is None:
            yield BadRecord(self._path, f"is a record of type {kind} without a readable message", record.line)
        elif kind == "user":
            for draft in self._with_queue(self._turns.user(record.value, blocks)):
                if not self._automated and isinstance(draft, ClaudeDraft) and draft.origin == "program":
                    self._automated = True
                    yield SessionEvent(self._session_id, automated=how_started(record.value))
                yield draft
        else:
            if not self._turns.is_side(record.value):
                yield from self._located(self._queue.absorbed(self._at))
            yield from self._turns.assistant(record.value, blocks)

    def _tool_record(self, kind: str, record: RawRecord) -> Iterator[ClaudeDraft | SourceItem]:
        blocks = message_blocks(record.value)
        if blocks is None:
            block = tool_block(kind, record.value)
            if block is None:
                yield BadRecord(self._path, f"is a record of type {kind} without a call or a result", record.line)
                return
            blocks = [block]
        yield from self._turns.assistant(record.value, blocks)

    def _with_queue(self, drafts: Iterator[ClaudeDraft]) -> Iterator[ClaudeDraft | TimelineEntry]:
        for draft in drafts:
            if draft.is_prompt:
                yield from self._located(self._queue.compare(draft.text, self._at))
            yield draft

    def _located(self, prompts: list[TimelineEntry]) -> Iterator[TimelineEntry]:
        """Queue records name no folder: one at the head of a log gets that of the records after it."""
        for entry in prompts:
            yield entry if entry.cwd else replace(entry, cwd=self._cwd, branch=self._branch)

    def _queue_operation(self, record: RawRecord) -> Iterator[TimelineEntry]:
        """Follows the queue. What the client itself puts in has no other record and is told at once, in its place."""
        operation = record.value.get("operation")
        text = text_of(record.value.get("content"))
        is_new = operation == "enqueue"
        if operation == "popAll":
            self._queue.withdraw()
        elif operation in ("remove", "dequeue"):
            # One that is removed and was never put in was so above the head of this log.
            is_new = not self._queue.take(text) and bool(text) and operation == "remove"
        if is_new:
            entry = self._queued(text or "", record)
            is_note = entry is not None and entry.origin not in PROMPTS
            self._queue.put(text or "", None if is_note else entry)
            if entry is not None and is_note:
                yield from self._located([entry])
            if operation == "remove":
                self._queue.take(text)
        self._skipped["queue-operation"] += 1

    def _queued(self, text: str, record: RawRecord) -> TimelineEntry | None:
        voices = classify_speakers(cut_additions(text)[0])
        # Messages of agents, reports of tools: each has a record of its own.
        if self._subagent or len(voices) != 1 or voices[0].origin not in (*PROMPTS, "injected"):
            return None
        placed = self._place(
            ClaudeDraft("user", voices[0].origin, voices[0].text, None), record.ref(self._path), record.line
        )
        return placed if isinstance(placed, TimelineEntry) else None

    def _fact(self, kind: str, value: dict[str, Any]) -> SessionEvent | None:
        if kind == "summary":
            title = string_of(value.get("summary")).strip()
            leaf = text_of(value.get("leafUuid"))
            return SessionEvent(self._session_id, title=title, title_of_record=leaf) if title else None
        if kind == "pr-link":
            return self._pull_request(value)
        title = string_of(value.get(_TITLES[kind])).strip()
        by_hand = kind == "custom-title"
        # Titles are written again and again; one that a person chose is not undone by the next generated one.
        known = blake2b(title.encode("utf-8", "replace"), digest_size=8).hexdigest()
        if not title or known == self._title or (self._titled_by_hand and not by_hand):
            return None
        self._title, self._titled_by_hand = known, by_hand
        return SessionEvent(self._session_id, title=title)

    def _pull_request(self, value: dict[str, Any]) -> SessionEvent | None:
        repository = string_of(value.get("prRepository")).strip("/")
        if not repository:
            return None
        host, found, _ = string_of(value.get("prUrl")).partition(f"/{repository}/")
        host = host if found and host.startswith("https://") else "https://github.com"
        return SessionEvent(self._session_id, remote_url=f"{host}/{repository}", cwd=self._cwd, of_pull_request=True)


def _omission(kind: str, value: dict[str, Any]) -> str:
    if kind == "progress":
        # A subagent's turns as the main log of versions 2.0 and 2.1 shows them. They are in a log of their own, and
        # what they add here is calls and output only: the task is in the call of the agent, its answer in the result.
        return "agent_progress" if object_of(value.get("data")).get("type") == "agent_progress" else kind
    return kind if kind in _BOOKKEEPING else f"unknown type: {quoted(kind)}"


def tool_block(kind: str, value: dict[str, Any]) -> dict[str, Any] | None:
    """The block that a tool record would be inside a message; None when it holds neither a call nor a result."""
    call_id = next((found for key in _CALL_IDS if (found := text_of(value.get(key)))), None)
    if _KINDS[kind] == "tool_use":
        name = next((found for key in _NAMES if (found := text_of(value.get(key)))), None)
        arguments = next((value[key] for key in _INPUTS if key in value), None)
        if name is None and arguments is None:
            return None
        return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
    content = next((value[key] for key in _OUTPUTS if key in value), None)
    if content is None and call_id is None:
        return None
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": value.get("is_error")}
