"""Antigravity's transcript, the steps of a conversation as JSON Lines, which newer builds write; and how texts of a
conversation become entries, wherever in its folder they come from.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

from aicx.sources.items import (
    BadRecord,
    EntryDraft,
    LogFile,
    SessionEvent,
    SourceItem,
    SourceRef,
    TimelineEntry,
    ToolUse,
)
from aicx.sources.records import RawRecord, parse_instant, read_jsonl, stat_log
from aicx.sources.tools import describe_call
from aicx.sources.values import CUT_OUT, lowered, object_of, objects_of, parse_json, quoted, string_of, text_of
from aicx.sources.voices import speaker_of
from aicx.values import dataclass

AGENT = "gemini-antigravity"
# What the client writes above the output of a tool, in transcripts and in the outputs of single steps alike.
STAMPS = re.compile(r"\A\s*(?:(?:Created|Completed) At: *(\S+)[^\n]*(?:\n|\Z))+")
_LINK = re.compile(r"\(file://(/[^)\n]+)\)|file://(/[^\s)\]>\"'`]+)")
_REPOSITORY = re.compile(r"(.*/(?:hosted|repos|repositories|github|git)/[^/]+/[^/]+)/")


class Conversation:
    """A conversation while it is read: what carries over from one entry to the next."""

    def __init__(self, session_id: str, skipped: Counter[str]) -> None:
        self.session_id, self.skipped = session_id, skipped
        self.cwd: str | None = None
        self.model: str | None = None
        self.last: datetime | None = None

    def place(self, draft: EntryDraft, ref: SourceRef, at: datetime) -> TimelineEntry:
        """``draft`` as an entry, with the folder and the model in force. Its suffix is its key in the conversation."""
        key = draft.suffix
        return draft.placed(
            *(AGENT, self.session_id, at, ref),
            record_id=f"{self.session_id}:{key}" if key else None,
            cwd=self.cwd,
            model=self.model if draft.role in ("assistant", "reasoning") or key.endswith(":call") else None,
        )


def linked_paths(text: str) -> list[str]:
    """The absolute paths of a text's ``file:///`` links, those into Antigravity's own folders left out."""
    paths = [plain_path(unquote((wrapped or bare).split("#")[0])) for wrapped, bare in _LINK.findall(text)]
    return [path for path in paths if not is_own(path)]


def plain_path(path: str) -> str:
    """With forward slashes, and a Windows drive as ``C:/``: links write it ``/c:/``, ``/C:/`` or ``c:\\``."""
    path = path.replace("\\", "/") if re.match(r"[A-Za-z]:\\", path) else path
    drive = re.match(r"/?([A-Za-z]):/", path)
    return f"{drive[1].upper()}:/{path[drive.end() :]}" if drive else path


def is_own(path: str) -> bool:
    """Whether a path leads into Antigravity's own folders, which say nothing of the project."""
    return "/.gemini/" in path


def common_root(paths: list[str]) -> str | None:
    """The project folder that several files agree on, None where they leave room for doubt."""
    files = list(dict.fromkeys(paths))
    known = {found[1] if (found := _REPOSITORY.match(path)) else "" for path in files}
    if len(known) == 1 and "" not in known:
        return known.pop()
    if len(files) < 2:
        return None
    folders = [PurePosixPath(path).parent.parts for path in files]
    common = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    # Anything above a folder of one's own says nothing: /home/me and C:/Users/me hold every project.
    least = 4 if len(common) > 1 and common[1].lower() in ("home", "users") else 3
    return str(PurePosixPath(*common)) if len(common) >= least else None


_FORMAT = "antigravity-transcript"  # no log of its own: it is read as a part of its brain folder
_REQUEST = re.compile(r"<USER_REQUEST>(.*?)</USER_REQUEST>", re.DOTALL)
_WRAPPER = re.compile(r"<(ADDITIONAL_METADATA|USER_SETTINGS_CHANGE|CONTEXT_SUMMARY)>.*?</\1>", re.DOTALL)
_MODEL = re.compile(r"changed setting `Model Selection` from .*? to (.+?)\.(?=\s|$)")
_EXIT_CODE = re.compile(r"(?:exited with code|failed with exit code:?) (-?\d+)")
_CHILD = re.compile(r'"conversationId":\s*"([0-9a-fA-F-]{36})"')
_FILE_ARGUMENTS = ("AbsolutePath", "TargetFile")
_FAILED = {"DONE": False, "ERROR": True, "CANCELED": True, "CANCELLED": True}


@dataclass(frozen=True, slots=True)
class TranscriptOutline:
    """The facts of a transcript that its first step cannot be given out without."""

    first: datetime | None = None
    cwd: str | None = None
    files: list[str] = field(default_factory=list)
    last: dict[int, int] = field(default_factory=dict)  # step -> line of its last version


def outline_transcript(path: Path) -> TranscriptOutline:
    """When a transcript begins, the folder and the files its calls name, and where each step is for the last time."""
    first: datetime | None = None
    cwd: str | None = None
    files: list[str] = []
    last: dict[int, int] = {}
    log = stat_log(AGENT, _FORMAT, path)
    for record in read_jsonl(log) if isinstance(log, LogFile) else ():
        if isinstance(record, RawRecord):
            first = first or parse_instant(record.value.get("created_at"))
            if (step := _step_index(record.value)) is not None:
                last[step] = record.line
            for _, arguments in _calls(record.value):
                cwd = cwd or _folder(arguments)
                files += [plain_path(file) for key in _FILE_ARGUMENTS if (file := text_of(arguments.get(key)))]
    return TranscriptOutline(first, cwd, [file for file in files if not is_own(file)], last)


class Transcript:
    """Reads the steps of one transcript in their order."""

    def __init__(self, conversation: Conversation, path: Path, outline: TranscriptOutline) -> None:
        self._conversation = conversation
        self._path = path
        self._outline = outline
        self._open_calls: deque[tuple[str, str]] = deque()  # (name, call id), in the order of asking

    def items(self) -> Iterator[SourceItem]:
        """The transcript's steps; of a step written again when it was finished, the last version."""
        log = stat_log(AGENT, _FORMAT, self._path)
        if isinstance(log, BadRecord):
            yield log
            return
        conversation = self._conversation
        conversation.last = self._outline.first
        for record in read_jsonl(log):
            if isinstance(record, BadRecord):
                yield record
                continue
            if record.cut:
                conversation.skipped[CUT_OUT] += record.cut
            step = _step_index(record.value)
            if step is not None and self._outline.last.get(step, record.line) > record.line:
                conversation.skipped["earlier version of a step"] += 1
                continue
            at = conversation.last = parse_instant(record.value.get("created_at")) or conversation.last
            drafts = self._step(record.value, step)
            if drafts and at is None:
                yield BadRecord(str(self._path), "step without a time in a transcript without any", record.line)
            elif drafts and at:
                ref = record.ref(str(self._path))
                yield from (conversation.place(draft, ref, at) for draft in drafts)
            if record.value.get("type") == "INVOKE_SUBAGENT":
                for child in _CHILD.findall(string_of(record.value.get("content"))):
                    yield SessionEvent(child, parent_session=conversation.session_id, lane="subagent")

    def _step(self, step: dict[str, Any], index: int | None) -> list[EntryDraft]:
        kind, source = string_of(step.get("type")), string_of(step.get("source"))
        text = text_of(step.get("content")) or string_of(step.get("output"))
        key = "" if index is None else str(index)
        match kind:
            case "USER_INPUT":
                return self._request(text, key, typed=source != "SYSTEM")
            case "PLANNER_RESPONSE":
                return self._response(step, text, key)
            case "CHECKPOINT":
                return [EntryDraft("system", "compaction", text.strip(), key)] if text.strip() else []
            case "ERROR_MESSAGE":
                return [EntryDraft("system", "injected", text.strip(), key)] if text.strip() else []
        if source == "MODEL" or kind == "TOOL_RESPONSE":
            return self._outcome(step, kind, text, key)
        told_by = quoted(lowered(source) or "unknown")
        self._conversation.skipped[f"{told_by} step: {quoted(kind or 'none')}"] += 1
        return []

    def _request(self, text: str, key: str, *, typed: bool) -> list[EntryDraft]:
        if chosen := _MODEL.findall(text):
            self._conversation.model = chosen[-1]
        requests = _REQUEST.findall(text)
        said = "\n\n".join(request.strip() for request in requests) if requests else _WRAPPER.sub("", text).strip()
        if requests or said != text.strip():
            self._conversation.skipped["scaffolding inside a text"] += 1
        if not said:
            return []
        if typed:
            return [EntryDraft("user", speaker_of(said) or "typed", said, key)]
        return [EntryDraft("system", "injected", said, key)]

    def _response(self, step: dict[str, Any], text: str, key: str) -> list[EntryDraft]:
        self._open_calls.clear()
        drafts = []
        if thinking := string_of(step.get("thinking")).strip():
            drafts.append(EntryDraft("reasoning", "agent", thinking, f"{key}#reasoning" if key else ""))
        if text.strip():
            drafts.append(EntryDraft("assistant", "agent", text.strip(), key))
        for number, (name, arguments) in enumerate(_calls(step)):
            self._conversation.cwd = _folder(arguments) or self._conversation.cwd
            call_id = f"{key}.{number}" if key else ""
            described, use = describe_call(name, arguments, call_id or None)
            drafts.append(EntryDraft("tool", "tool", described, f"{call_id}:call" if key else "", tool=use))
            self._open_calls.append((name, call_id))
        return drafts

    def _outcome(self, step: dict[str, Any], kind: str, text: str, key: str) -> list[EntryDraft]:
        error = string_of(step.get("error")).strip()
        text = STAMPS.sub("", text).strip().replace("\r\n", "\n")
        text = f"{text}\n{error}".strip() if error and error not in text else text
        if not text:
            return []
        # Results carry no call id: they follow their response in the order of its calls.
        name, call_id = self._open_calls.popleft() if self._open_calls else (lowered(kind), key)
        code = _EXIT_CODE.search(text[:400]) if name == "run_command" else None
        exit_code = int(code[1]) if code else None
        failed = True if exit_code else _FAILED.get(string_of(step.get("status")))
        use = ToolUse(name, "result", call_id or None, failed=failed, exit_code=exit_code)
        return [EntryDraft("tool", "tool", text, f"{call_id}:result" if call_id else "", tool=use)]


def _step_index(step: dict[str, Any]) -> int | None:
    value = step.get("step_index")
    return value if isinstance(value, int) else None


def _calls(step: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """A step's tool calls by name; string arguments come quoted a second time, as JSON inside JSON."""
    return [
        (
            text_of(call.get("name")) or "tool",
            {key: _unquoted(value) for key, value in object_of(call.get("args")).items()},
        )
        for call in objects_of(step.get("tool_calls"))
    ]


def _unquoted(value: Any) -> Any:
    if not (isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"'):
        return value
    decoded = parse_json(value)
    return value if decoded is None else decoded


def _folder(arguments: dict[str, Any]) -> str | None:
    folder = plain_path(string_of(arguments.get("Cwd")))
    return folder if re.match(r"/|[A-Z]:/", folder) and not is_own(folder) else None
