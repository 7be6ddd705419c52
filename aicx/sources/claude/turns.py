"""Messages of people, the model and its tools in the records of a Claude Code session."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from aicx.sources.claude.text import (
    Utterance,
    block_text,
    classify_speakers,
    content_text,
    cut_additions,
    cut_reminders,
    split_remark,
    without_data_urls,
)
from aicx.sources.items import ToolUse
from aicx.sources.tools import describe_call
from aicx.sources.values import object_of, quoted, string_of, text_of
from aicx.types import PROMPTS, Origin, Role
from aicx.values import dataclass

Value = dict[str, Any]

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code (\d{1,5})\b")
_TOOL_ERROR = re.compile(r"<tool_use_error>(.*)</tool_use_error>", re.DOTALL)
# What the client writes in the model's name without anything having gone wrong.
_PLACEHOLDERS = ("", "(no content)", "No response requested.")
# Entry points without anyone at a keyboard. Those of editors and desktops are people's.
_PROGRAMS = ("sdk-", "claude-code-github-action")
_FROM_AGENTS = ("peer", "coordinator", "teammate", "agent")
_FROM_CLIENT = ("auto-continuation", "task-notification", "hook", "system")
_WRAPPED_ERRORS = 8  # how deep to look for the message of an error


@dataclass(frozen=True, slots=True)
class ClaudeDraft:
    """An entry before it has its place and time. Texts of one ``message`` that follow each other are one entry."""

    role: Role
    origin: Origin
    text: str
    record_id: str | None
    model: str | None = None
    tool: ToolUse | None = None
    message: str | None = None
    is_prompt: bool = False  # typed at the prompt, so that it may have been queued before


class Turns:
    """Reads the conversational records of one log in their order."""

    def __init__(self, skipped: Counter[str], *, subagent: bool) -> None:
        self._skipped = skipped
        self._subagent = subagent
        self._names: dict[str, str] = {}  # of the tools called, by call id

    @property
    def calls_known(self) -> int:
        return len(self._names)

    def calls(self, count: int) -> dict[str, list[str]]:
        """The ids of the first ``count`` calls, by the tool that was called."""
        found: dict[str, list[str]] = {}
        for call_id, name in islice(self._names.items(), count):
            found.setdefault(name, []).append(call_id)
        return found

    def take_up(self, calls: Mapping[str, Sequence[str]]) -> None:
        """Knows the calls that a reader before this one met."""
        self._names = {call_id: name for name, ids in calls.items() for call_id in ids}

    def is_side(self, value: Value) -> bool:
        """Whether a record belongs to a subagent, whose "user" is the agent that started it."""
        return self._subagent or value.get("isSidechain") is True

    def user(self, value: Value, blocks: list[Any]) -> Iterator[ClaudeDraft]:
        """A prompt, the results of tools, or what the client says in the person's place."""
        ids = _numbered(text_of(value.get("uuid")))
        if value.get("isCompactSummary") is True:
            summary = content_text(blocks)
            if summary.strip():
                yield ClaudeDraft("system", "compaction", summary, next(ids))
            return
        texts: list[Any] = []
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                yield from self._prompt(texts, value, ids)
                texts = []
                yield from self._tool_result(block, value, ids)
            else:
                texts.append(block)
        yield from self._prompt(texts, value, ids)

    def _prompt(self, blocks: list[Any], value: Value, ids: Iterator[str | None]) -> Iterator[ClaudeDraft]:
        """The text blocks of a user record (or attachment): what the person said, without what was put around it."""
        if not blocks:
            return
        if value.get("isMeta") is True and _origin_kind(value) not in ("human", "channel", *_FROM_AGENTS):
            self._skipped["injected (isMeta)"] += 1
            return
        voices: list[Utterance] = []
        for block in blocks:
            text, cut = cut_additions(block_text(block))
            self._skip("scaffolding inside a text", cut)
            for heard in classify_speakers(text):
                if voices and not heard.call_id and _same_voice(voices[-1], heard):
                    voices[-1] = replace(heard, text=f"{voices[-1].text}\n\n{heard.text}")
                else:
                    voices.append(heard)
        if not voices:
            self._skipped["scaffolding"] += 1
        for heard in voices:
            yield from self._voice(heard, value, ids)

    def _voice(self, heard: Utterance, value: Value, ids: Iterator[str | None]) -> Iterator[ClaudeDraft]:
        role, origin, text = heard.role, heard.origin, heard.text
        source = _origin_kind(value)
        if origin in PROMPTS and (self.is_side(value) or source in _FROM_AGENTS):
            origin = "agent"
        elif origin in PROMPTS and (source in _FROM_CLIENT or value.get("promptSource") == "system"):
            role, origin = "system", "injected"
        elif origin in PROMPTS and is_by_program(value):
            origin = "program"
        tool = None
        if role == "tool":
            tool = ToolUse(self._names.get(heard.call_id or "", "local command"), "result", heard.call_id)
        if origin in ("typed", "program"):
            plan = text_of(value.get("planContent"))
            text = f"{text}\n\n{plan}" if plan and plan.strip() not in text else text
        yield ClaudeDraft(role, origin, text, next(ids), tool=tool, is_prompt=origin in PROMPTS)

    def _tool_result(self, block: Value, value: Value, ids: Iterator[str | None]) -> Iterator[ClaudeDraft]:
        # `toolUseResult` says the same again, with whole files in it: never read.
        text, cut = cut_reminders(content_text(block.get("content")))
        self._skip("scaffolding inside a text", cut)
        if wrapped := _TOOL_ERROR.fullmatch(text.strip()):
            text = wrapped[1]
        text, remark = split_remark(text)
        call_id = text_of(block.get("tool_use_id"))
        failed = block.get("is_error") is True
        if not text.strip() and not failed:
            self._skipped["empty tool result"] += 1
        else:
            exit_code = _EXIT_CODE.match(text)
            use = ToolUse(
                self._names.get(call_id or "", "unknown tool"),
                "result",
                call_id,
                failed=failed,
                exit_code=int(exit_code[1]) if exit_code else None,
            )
            record_id = f"{call_id}:result" if call_id else next(ids)
            yield ClaudeDraft("tool", "tool", text if text.strip() else "[no output]", record_id, tool=use)
        if remark:
            # A person who refuses a call may say why, and the log has these words nowhere else.
            yield ClaudeDraft("user", "agent" if self.is_side(value) else "typed", remark, next(ids))

    def assistant(self, value: Value, blocks: list[Any]) -> Iterator[ClaudeDraft]:
        """A piece of a model's message: newer versions write one block a record."""
        message = object_of(value.get("message"))
        ids = _numbered(text_of(value.get("uuid")))
        model = text_of(message.get("model"))
        if model == "<synthetic>" or value.get("isApiErrorMessage") is True:
            text = content_text(blocks).strip()
            if text in _PLACEHOLDERS:
                self._skipped["synthetic"] += 1
            else:
                yield ClaudeDraft("system", "injected", text, next(ids))
            return
        for block in blocks:
            yield from self._assistant_block(block, value, model, text_of(message.get("id")), ids)

    def _assistant_block(
        self, block: Any, value: Value, model: str | None, message: str | None, ids: Iterator[str | None]
    ) -> Iterator[ClaudeDraft]:
        kind = block.get("type") if isinstance(block, dict) else "text"
        if kind == "text":
            text = block_text(block).strip()
            if text in _PLACEHOLDERS:
                self._skipped["empty text"] += 1
            else:
                yield ClaudeDraft("assistant", "agent", text, next(ids), model, message=message)
        elif kind in ("thinking", "redacted_thinking"):
            text = string_of(block.get("thinking")).strip()
            if text:
                yield ClaudeDraft("reasoning", "agent", text, next(ids), model)
            else:
                self._skipped["reasoning without text"] += 1
        elif kind in _CALLS:
            yield self._call(block, model, ids)
        elif isinstance(kind, str) and kind.endswith("tool_result"):
            yield from self._tool_result(block, value, ids)
        else:
            self._skipped[f"unknown block: {quoted(kind)}"] += 1

    def _call(self, block: Value, model: str | None, ids: Iterator[str | None]) -> ClaudeDraft:
        call_id = text_of(block.get("id"))
        name = text_of(block.get("name")) or "unknown tool"
        if call_id:
            self._names[call_id] = name
        text, use = describe_call(name, block.get("input"), call_id)
        record_id = f"{call_id}:call" if call_id else next(ids)
        return ClaudeDraft("tool", "tool", without_data_urls(text), record_id, model, use)

    def system(self, value: Value) -> Iterator[ClaudeDraft]:
        """The few notices of the client that say something of the session."""
        subtype = text_of(value.get("subtype")) or "none"
        text = string_of(value.get("content"))
        ids = _numbered(text_of(value.get("uuid")))
        if subtype == "away_summary" and text.strip():
            yield ClaudeDraft("system", "compaction", text, next(ids))
        elif subtype == "api_error":
            yield ClaudeDraft("system", "injected", _api_error(value), next(ids))
        elif subtype == "local_command" or (subtype == "informational" and len(classify_speakers(text)) > 1):
            yield from self._prompt([text], value, ids)
        else:
            self._skipped[f"system: {quoted(subtype)}"] += 1

    def attachment(self, value: Value) -> Iterator[ClaudeDraft]:
        """A prompt that was taken in while the model was at work; every other attachment is context."""
        attachment = object_of(value.get("attachment"))
        kind = text_of(attachment.get("type")) or "none"
        prompt = attachment.get("prompt")
        if kind != "queued_command" or not isinstance(prompt, str | list):
            self._skipped[f"attachment: {quoted(kind)}"] += 1
            return
        flags = {**attachment, "isSidechain": value.get("isSidechain")}
        blocks = prompt if isinstance(prompt, list) else [prompt]
        yield from self._prompt(blocks, flags, _numbered(text_of(value.get("uuid"))))

    def _skip(self, reason: str, count: int) -> None:
        if count:
            self._skipped[reason] += count


def message_blocks(value: Value) -> list[Any] | None:
    """The content blocks of a user or assistant record, None where it has no readable message."""
    content = object_of(value.get("message")).get("content")
    if isinstance(content, str):
        return [content]
    return content if isinstance(content, list) else None


def is_by_program(value: Value) -> bool:
    """Whether a prompt came from a program: `claude -p`, the Agent SDK, or what is built on it.

    The desktop and editors hand on what a person types through the SDK too: their entry point tells them apart, or the
    record itself, where it says who wrote it.
    """
    source = text_of(value.get("promptSource"))
    if _origin_kind(value) == "human" or source not in (None, "sdk"):
        return False
    entry = string_of(value.get("entrypoint"))
    return entry.startswith(_PROGRAMS) if entry else source == "sdk"


def how_started(value: Value) -> str:
    """The evidence that a program gave a prompt, in a few words."""
    entry = text_of(value.get("entrypoint"))
    by = "claude -p" if entry == "sdk-cli" else "a program"
    return f"started by {by} (entrypoint {quoted(entry)})" if entry else "started by a program (promptSource sdk)"


def _numbered(record_id: str | None) -> Iterator[str | None]:
    """A record's id for the first entry it yields, the id with a number for each one after."""
    yield record_id
    number = 0
    while True:
        number += 1
        yield f"{record_id}#{number}" if record_id else None


def _same_voice(one: Utterance, other: Utterance) -> bool:
    return (one.role, one.origin, one.call_id) == (other.role, other.origin, other.call_id)


def _origin_kind(value: Value) -> str | None:
    return text_of(object_of(value.get("origin")).get("kind"))


def _api_error(value: Value) -> str:
    error = value.get("error")
    status = error.get("status") if isinstance(error, dict) else None
    said = _error_message(error) or _error_message(value.get("cause")) or text_of(value.get("content"))
    text = "API error" + (f" {status}" if isinstance(status, int) else "") + (f": {said}" if said else "")
    attempt, limit = value.get("retryAttempt"), value.get("maxRetries")
    return f"{text} (retry {attempt} of {limit})" if isinstance(attempt, int) and isinstance(limit, int) else text


def _error_message(error: Any) -> str | None:
    """The innermost message of an error that may wrap others."""
    said = None
    for _ in range(_WRAPPED_ERRORS):
        if not isinstance(error, dict):
            return error if isinstance(error, str) and error else said
        said = text_of(error.get("message")) or text_of(error.get("formatted")) or text_of(error.get("code")) or said
        error = error.get("error") or error.get("cause")
    return said
