"""The messages of a Gemini CLI log, each by a person, the model, a tool or the client, and the entries they become."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from aicx.sources.items import BadRecord, EntryDraft, TimelineEntry, ToolUse
from aicx.sources.records import LogRecord, dump_json, parse_instant
from aicx.sources.tools import describe_call
from aicx.sources.values import object_of, objects_of, quoted, replace_data_urls, string_of, text_of
from aicx.sources.voices import speaker_of

AGENT = "gemini"
_TYPES = {
    **dict.fromkeys(("user", "human", "prompt"), "user"),
    **dict.fromkeys(("gemini", "model", "ai", "assistant"), "gemini"),
    **dict.fromkeys(("info", "error", "warning", "system"), "notice"),
}
_PREAMBLES = (
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context for our chat",
    "Got it. Thanks for the context!",
    "Got it. Thanks for the additional context!",
)
_PROMPTED_BY_CLIENT = "System: Please continue."
_REFERENCES = "--- Content from referenced files ---"
_REFERENCED_FILE = re.compile(r"^Content from @?(.+?):$", re.MULTILINE)
_EMBEDDED = re.compile(r"<(system-reminder|hook_context|session_context)>.*?</\1>\s*", re.DOTALL)
# Around the output of tools, for the model; the tags say nothing of what the tool printed.
_UNTRUSTED = re.compile(r"\A\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*\Z", re.DOTALL)
_EXIT_CODE = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE)
_FAILED = {"error": True, "cancelled": True, "success": False}


class GeminiMessages:
    """Reads the messages of one log in their order: a call and its result may stand in different ones."""

    def __init__(self, skipped: Counter[str]) -> None:
        self._skipped = skipped
        self._names: dict[str, str] = {}  # of the tools called, by call id
        self._answered: set[str] = set()

    def draft(self, message: dict[str, Any]) -> list[EntryDraft] | None:
        """Reads a message; None when it is of an unknown type."""
        named = string_of(message.get("type")) or string_of(message.get("role"))
        match _TYPES.get(named.lower()):
            case "user":
                return self._user(message)
            case "gemini":
                return self._gemini(message)
            case "notice":
                return self._notice(message)
        self._skipped[f"unknown type: {quoted(named) or 'none'}"] += 1
        return None

    def _user(self, message: dict[str, Any]) -> list[EntryDraft]:
        parts = split_content(content_of(message))
        shown = split_content(message.get("displayContent")).text
        drafts = self._responses(parts)
        text = self._without_scaffolding(parts.text)
        if not text:
            return drafts
        if "<state_snapshot>" in text[:200]:
            return [*drafts, EntryDraft("system", "compaction", text)]
        if text == _PROMPTED_BY_CLIENT:
            return [*drafts, EntryDraft("system", "injected", text)]
        # The CLI sends the model more than was typed (files named with @, a command's expansion) and keeps what was
        # typed in `displayContent`, when that differs.
        prompt, _, referenced = text.partition(_REFERENCES)
        typed = shown or prompt.rstrip()
        if typed:
            drafts.append(EntryDraft("user", speaker_of(typed) or "typed", typed))
        if referenced.strip():
            files = tuple(dict.fromkeys(_REFERENCED_FILE.findall(referenced)))
            use = ToolUse("referenced files", "result", files=files)
            drafts.append(EntryDraft("tool", "tool", referenced.strip(), "#referenced", tool=use))
        elif shown and shown != text:
            drafts.append(EntryDraft("system", "injected", text, "#expanded"))
        return drafts

    def _gemini(self, message: dict[str, Any]) -> list[EntryDraft]:
        parts = split_content(content_of(message))
        drafts = _reasoning(message, parts)
        if text := self._without_scaffolding(parts.text):
            drafts.append(EntryDraft("assistant", "agent", text))
        results = []
        for index, call in enumerate(_calls(message, parts)):
            name = text_of(call.get("name")) or "tool"
            call_id = text_of(call.get("id"))
            key = call_id or f"{string_of(message.get('id'))}#call{index}"
            if call_id and call_id in self._names:
                self._skipped["tool call written twice"] += 1
            else:
                text, use = describe_call(name, call.get("args"), call_id)
                drafts.append(EntryDraft("tool", "tool", without_data(text), record_id=f"{key}:call", tool=use))
            if call_id:
                self._names[call_id] = name
            results += self._outcome(call, name, call_id, key)
        return [*drafts, *results, *self._responses(parts)]

    def _notice(self, message: dict[str, Any]) -> list[EntryDraft]:
        text = split_content(content_of(message)).text.strip()
        if "update available!" in text:
            self._skipped["update notice"] += 1
            return []
        return [EntryDraft("system", "injected", text)] if text else []

    def _outcome(self, call: dict[str, Any], name: str, call_id: str | None, key: str) -> list[EntryDraft]:
        if call_id in self._answered:
            return []
        status = string_of(call.get("status"))
        parts = split_content(call.get("result"))
        text = "\n".join(filter(None, [*map(response_text, parts.responses), parts.text])) or displayed(call)
        failed = _FAILED.get(status)
        return self._result(text or (status if failed else ""), name, call_id, key, failed, call.get("timestamp"))

    def _responses(self, parts: Parts) -> list[EntryDraft]:
        """Results given as parts of a message rather than with their call; a copy of one already seen yields none."""
        drafts = []
        for response in parts.responses:
            call_id = text_of(response.get("id"))
            if call_id in self._answered:
                self._skipped["tool result written twice"] += 1
                continue
            name = text_of(response.get("name")) or self._names.get(call_id or "", "tool")
            failed = True if object_of(response.get("response")).get("error") else None
            drafts += self._result(response_text(response), name, call_id, call_id or name, failed, None)
        return drafts

    def _result(
        self, text: str, name: str, call_id: str | None, key: str, failed: bool | None, at: Any
    ) -> list[EntryDraft]:
        text = self._without_scaffolding(_UNTRUSTED.sub(r"\1", without_data(text)))
        if not text:
            return []
        if call_id:
            self._answered.add(call_id)
        # The last one counts: the CLI adds it below the output, which may hold such a line too.
        codes = _EXIT_CODE.findall(text) if name == "run_shell_command" else []
        exit_code = int(codes[-1]) if codes else None
        use = ToolUse(name, "result", call_id, failed=True if exit_code else failed, exit_code=exit_code)
        return [EntryDraft("tool", "tool", text, at=at, record_id=f"{key}:result", tool=use)]

    def _without_scaffolding(self, text: str) -> str:
        if text.startswith(_PREAMBLES):
            self._skipped["scaffolding"] += 1
            return ""
        if "</" in text:
            text, count = _EMBEDDED.subn("", text)
            if count:
                self._skipped["scaffolding inside a text"] += count
        return text.strip("\n") if text.strip() else ""


def _reasoning(message: dict[str, Any], parts: Parts) -> list[EntryDraft]:
    thoughts = [(text, thought) for thought in objects_of(message.get("thoughts")) if (text := _thought(thought))]
    texts = list(dict.fromkeys(text for text, _ in thoughts)) or parts.thoughts
    if not texts:
        return []
    began = thoughts[0][1].get("timestamp") if thoughts else None
    return [EntryDraft("reasoning", "agent", "\n".join(texts), "#reasoning", at=began)]


def _thought(thought: dict[str, Any]) -> str:
    return ": ".join(filter(None, (string_of(thought.get(key)).strip() for key in ("subject", "description"))))


def _calls(message: dict[str, Any], parts: Parts) -> list[dict[str, Any]]:
    """A turn's calls. Where it has ``toolCalls``, its ``functionCall`` parts are the same calls once more."""
    calls = objects_of(message.get("toolCalls"))
    known = {string_of(call.get("id")) for call in calls}
    return calls + [call for call in parts.calls if not (known and string_of(call.get("id")) in known | {""})]


class Parts(NamedTuple):
    """A message's content, sorted by what it is."""

    texts: list[str]
    thoughts: list[str]
    calls: list[dict[str, Any]]
    responses: list[dict[str, Any]]

    @property
    def text(self) -> str:
        return without_data("\n".join(filter(None, self.texts)))


def split_content(content: Any) -> Parts:
    """The parts of a content, which may be one part, a list of them, or plain text."""
    parts = Parts([], [], [], [])
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            parts.texts.append(part)
        elif not isinstance(part, dict):
            continue
        elif isinstance(text := part.get("text"), str):
            # A `thoughtSignature` does not make a thought: Gemini 3 signs its answers too.
            (parts.thoughts if part.get("thought") is True else parts.texts).append(text)
        elif call := object_of(part.get("functionCall")):
            parts.calls.append(call)
        elif response := object_of(part.get("functionResponse")):
            parts.responses.append(response)
        else:
            parts.texts.append(_other_part(part))
    return parts


def content_of(message: Mapping[str, Any]) -> Any:
    """Returns a message's content, under whichever name its version of the CLI wrote it."""
    names = ("content", "displayContent", "parts", "text")
    return next((found for name in names if (found := message.get(name))), None)


def response_text(response: Mapping[str, Any]) -> str:
    """Returns a tool's answer, its output before its error."""
    answer = response.get("response")
    if not isinstance(answer, dict):
        return string_of(answer)
    said = [answer[key] for key in ("output", "error") if answer.get(key)] or ([answer] if any(answer.values()) else [])
    return "\n".join(value if isinstance(value, str) else dump_json(value).decode() for value in said)


def displayed(call: Mapping[str, Any]) -> str:
    """Returns what the terminal showed of a call, where the result itself was not kept."""
    shown = call.get("resultDisplay")
    return shown if isinstance(shown, str) else string_of(object_of(shown).get("fileDiff"))


def without_data(text: str) -> str:
    """``text`` with embedded files replaced by a mark."""
    return replace_data_urls(text, _mark)


def _other_part(part: Mapping[str, Any]) -> str:
    """Data becomes a mark; code that the model ran itself, and what came out, stays."""
    for key in ("inlineData", "fileData"):
        if data := object_of(part.get(key)):
            return _mark(string_of(data.get("mimeType")))
    code = text_of(object_of(part.get("executableCode")).get("code"))
    return code or string_of(object_of(part.get("codeExecutionResult")).get("output"))


def _mark(media_type: str) -> str:
    return "[image]" if media_type.startswith("image/") else f"[file: {media_type or 'unknown type'}]"


class GeminiTimeline:
    """Gives out the messages of one log, and keeps what carries over from one to the next."""

    def __init__(self, path: str, session_id: str, cwd: str | None, first: datetime | None) -> None:
        self.session_id = session_id
        self.skipped: Counter[str] = Counter()
        self._path = path
        self._cwd = cwd
        self._last = first  # the time given to a message that has none
        self._messages = GeminiMessages(self.skipped)
        self._said: set[int] = set()

    def take(
        self, message: dict[str, Any], record: LogRecord, *, only_new: bool = False
    ) -> Iterator[TimelineEntry | BadRecord]:
        """The entries of one message; with ``only_new`` those whose text has not been seen in this log."""
        drafts = self._messages.draft(message)
        if drafts is None:
            return
        fresh = [draft for draft in drafts if not only_new or hash((draft.role, draft.text)) not in self._said]
        if len(fresh) < len(drafts):
            self.skipped["message repeated in a context update"] += 1
        yield from self.place(message, fresh, record)

    def place(
        self, message: dict[str, Any], drafts: list[EntryDraft], record: LogRecord
    ) -> Iterator[TimelineEntry | BadRecord]:
        """``drafts`` as entries of ``message``, which stands in ``record``."""
        at = parse_instant(message.get("timestamp")) or self._last
        if not drafts:
            self._last = at
            return
        if at is None:
            yield BadRecord(self._path, "message without a time in a log without any", record.line)
            return
        self._last = at
        ref = record.ref(self._path)
        key = string_of(message.get("id"))
        for draft in drafts:
            self._said.add(hash((draft.role, draft.text)))
            stamp = parse_instant(draft.at) or at
            yield draft.placed(
                AGENT,
                self.session_id,
                # A result can be stamped a millisecond before the message that holds its call.
                max(stamp, at) if draft.role == "tool" else stamp,
                ref,
                record_id=draft.record_id or (f"{key}{draft.suffix}" if key else None),
                cwd=self._cwd,
                model=text_of(message.get("model")),
            )


def first_instant(messages: list[Any]) -> datetime | None:
    """The first readable time among a log's messages."""
    return next((at for m in messages if (at := parse_instant(object_of(m).get("timestamp")))), None)
