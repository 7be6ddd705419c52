"""GitHub Copilot CLI: a folder, or of old a file, for each session below ``~/.copilot/session-state``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.sources.items import (
    CONTEXT_COMPACTED,
    BadRecord,
    LogFile,
    LogIdentity,
    SessionEvent,
    SourceItem,
    TimelineEntry,
    ToolUse,
)
from aicx.sources.records import RawRecord, entries_of, first_of_type, items_of_records, parse_instant, stat_log
from aicx.sources.tools import describe_call
from aicx.sources.values import object_of, objects_of, quoted, string_of, text_of, without_data
from aicx.sources.voices import speaker_of
from aicx.types import AgentHomes, Origin, Role

AGENT = "copilot"
# Events without a text of the conversation, or with one that another event has.
_PASSED_OVER = {
    **dict.fromkeys(("hook.start", "hook.end", "hook.progress"), "hook"),
    **dict.fromkeys(("system.message", "skill.invoked"), "scaffolding"),
    **dict.fromkeys(("session.info", "session.warning", "session.title_changed"), "notice"),
    **dict.fromkeys(("permission.requested", "permission.completed"), "permission"),
    **dict.fromkeys(("user_input.requested", "user_input.completed", "session.task_complete"), "text of a tool call"),
    **dict.fromkeys(("elicitation.requested", "elicitation.completed"), "text of a tool call"),
    **dict.fromkeys(("subagent.started", "subagent.completed", "subagent.selected", "subagent.deselected"), "subagent"),
    **dict.fromkeys(
        (
            *("assistant.turn_start", "assistant.turn_end", "assistant.usage", "assistant.intent", "assistant.idle"),
            *("session.idle", "session.shutdown", "session.truncation", "session.snapshot_rewind"),
            *("session.mode_changed", "session.plan_changed", "session.workspace_file_changed"),
            *("session.compaction_start", "session.usage_info", "session.todos_changed", "pending_messages.modified"),
        ),
        "bookkeeping",
    ),
}
# The shell tool adds it below what the command printed.
_EXITED = re.compile(r"\n?<exited with exit code (-?\d{1,10})>\s*\Z")
_SHELLS = frozenset(("bash", "powershell"))


class CopilotTimeline:
    """Reads the events of one log in their order."""

    def __init__(self, path: str, session_id: str) -> None:
        self._path = path
        self._session_id = session_id
        self._cwd: str | None = None
        self._branch: str | None = None
        self._model: str | None = None
        self._at: datetime | None = None
        self._calls: dict[str, tuple[str, datetime | None]] = {}  # call id -> the tool and when it began to run
        self._thoughts: set[int] = set()
        self.skipped: Counter[str] = Counter()

    def skip(self, reason: str) -> None:
        self.skipped[reason] += 1

    def take(self, record: RawRecord) -> Iterator[SourceItem]:
        """The items of one event."""
        kind, data = record.value.get("type"), object_of(record.value.get("data"))
        self._at = parse_instant(record.value.get("timestamp")) or self._at
        if not isinstance(kind, str):
            self.skip("record without a type")
        elif kind in ("session.start", "session.resume", "session.context_changed"):
            yield from self._context(data)
        elif kind == "session.model_change":
            self._model = text_of(data.get("newModel")) or self._model
            self.skip("bookkeeping")
        elif kind in _PASSED_OVER:
            self.skip(_PASSED_OVER[kind])
        elif self._at is None:
            yield BadRecord(self._path, "record without a time in a log without any", record.line)
        else:
            yield from self._entries(kind, data, record, self._at)

    def _context(self, data: dict[str, Any]) -> Iterator[SourceItem]:
        """Where the session is: `session.context_changed` has it without a frame around it."""
        context = object_of(data.get("context")) or data
        self._cwd = text_of(context.get("cwd")) or self._cwd
        self._branch = text_of(context.get("branch")) or self._branch
        self._model = text_of(data.get("selectedModel")) or self._model
        self.skip("bookkeeping")
        repository, host = text_of(context.get("repository")), text_of(context.get("repositoryHost"))
        if repository and host:
            yield SessionEvent(
                self._session_id,
                remote_url=f"https://{host}/{repository}",
                cwd=text_of(context.get("gitRoot")) or self._cwd,
                commit=text_of(context.get("headCommit")),
            )

    def _entries(self, kind: str, data: dict[str, Any], record: RawRecord, at: datetime) -> Iterator[TimelineEntry]:
        key = text_of(record.value.get("id"))
        within = bool(text_of(record.value.get("agentId")) or text_of(data.get("parentToolCallId")))

        def entry(
            role: Role, origin: Origin, text: str, suffix: str = "", tool: ToolUse | None = None
        ) -> TimelineEntry:
            return TimelineEntry(
                AGENT,
                self._session_id,
                at,
                role,
                without_data(text),
                record.ref(self._path),
                origin,
                cwd=self._cwd,
                branch=self._branch,
                record_id=key and f"{key}{suffix}",
                model=text_of(data.get("model")) or self._model,
                tool=tool,
            )

        text = string_of(data.get("content"))
        if kind == "user.message":
            yield from self._prompt(data, text, within, entry)
        elif kind == "assistant.message":
            thought = string_of(data.get("reasoningText"))
            if data.get("reasoningOpaque") and not thought:
                self.skip("thought that cannot be read")
            elif thought and self._is_new(thought):
                yield entry("reasoning", "agent", thought, "#reasoning")
            if text.strip():
                yield entry("assistant", "agent", text)
            for number, request in enumerate(objects_of(data.get("toolRequests"))):
                name, call_id = text_of(request.get("name")) or "tool", text_of(request.get("toolCallId"))
                said, use = describe_call(name, request.get("arguments"), call_id)
                self._calls[call_id or ""] = (name, None)
                yield entry("tool", "tool", said, f"#call{number}", use)
        elif kind == "assistant.reasoning":
            if self._is_new(text):
                yield entry("reasoning", "agent", text)
        elif kind in ("tool.execution_start", "tool.user_requested"):
            name, ran = text_of(data.get("toolName")) or "tool", text_of(data.get("toolCallId"))
            if (ran or "") in self._calls:
                self.skip("tool call written twice")
            else:
                said, use = describe_call(name, data.get("arguments"), ran)
                yield entry("tool", "tool", said, tool=use)
            self._calls[ran or ""] = (name, at if kind == "tool.execution_start" else None)
        elif kind == "tool.execution_complete":
            yield from self._result(data, at, entry)
        elif kind == "session.compaction_complete":
            if data.get("success") is False:
                self.skip("bookkeeping")
            else:
                yield entry("system", "compaction", text_of(data.get("summaryContent")) or CONTEXT_COMPACTED)
        elif notice := self._notice(kind, data):
            yield entry("system", "injected", notice)

    def _prompt(self, data: dict[str, Any], text: str, within: bool, entry: Any) -> Iterator[TimelineEntry]:
        sent = string_of(data.get("transformedContent"))
        if sent and sent != text:
            self.skip("prompt as it was sent to the model")
        if not text.strip():
            self.skip("prompt without a text")
        elif text_of(data.get("source")):  # a skill, a schedule: whatever puts a text in a person's place says so
            yield entry("system", "injected", text)
        else:
            yield entry("user", "agent" if within else speaker_of(text) or "typed", text)
        for number, attached in enumerate(objects_of(data.get("attachments"))):
            selected, file = string_of(attached.get("text")), text_of(attached.get("filePath"))
            if attached.get("type") == "selection" and selected.strip():
                use = ToolUse("attached selection", "result", files=(file,) if file else ())
                yield entry("tool", "tool", selected, f"#attached{number}", use)
            else:
                self.skip("attached file")

    def _result(self, data: dict[str, Any], at: datetime, entry: Any) -> Iterator[TimelineEntry]:
        call_id = text_of(data.get("toolCallId"))
        name, began = self._calls.get(call_id or "", ("tool", None))
        result, error = object_of(data.get("result")), object_of(data.get("error"))
        text = string_of(result.get("content")) or string_of(result.get("detailedContent"))
        text = text or string_of(error.get("message"))
        ended = _EXITED.search(text[-80:]) if name in _SHELLS else None
        stated = [block.get("exitCode") for block in objects_of(result.get("contents"))]
        codes = [code for code in stated if isinstance(code, int) and not isinstance(code, bool)]
        exit_code = codes[-1] if codes else int(ended[1]) if ended else None
        success = data.get("success")
        failed = True if exit_code else None if not isinstance(success, bool) else not success
        seconds = (at - began).total_seconds() if began and at >= began else None
        use = ToolUse(name, "result", call_id, failed=failed, exit_code=exit_code, seconds=seconds)
        if text.strip():
            yield replace(entry("tool", "tool", text), tool=use)
        else:
            self.skip("empty result")

    def _notice(self, kind: str, data: dict[str, Any]) -> str | None:
        """The client's own word on the session; None where it has none."""
        said = {
            "session.error": data.get("message"),
            "subagent.failed": data.get("error"),
            "system.notification": data.get("content"),
            "session.handoff": data.get("summary"),
            "abort": data.get("reason") and f"aborted: {data['reason']}",
        }
        if kind not in said:
            self.skip(f"unknown type: {quoted(kind)}")
            return None
        text = string_of(said[kind])
        if not text.strip():
            self.skip("notice")
        return text.strip() or None

    def _is_new(self, thought: str) -> bool:
        """Whether a thought has not been read: an event of its own and the answer may both have it."""
        if not thought.strip():
            self.skip("thought without a text")
            return False
        if (mark := hash(thought)) in self._thoughts:
            self.skip("thought written twice")
            return False
        self._thoughts.add(mark)
        return True


__all__ = ["AGENT", "FORMAT", "SOURCE", "CopilotSource"]
FORMAT = "copilot-events"
_EVENTS, _ABOUT = "events.jsonl", "workspace.yaml"
_MAX_ABOUT = 64 * 1024
# A value on the line of its key, in quotes or not, or, after `|` or `>`, on the line below.
_TITLE = re.compile(
    r"^(?P<key>name|summary):[ \t]*"
    r"""(?:[|>][-+\d]*[ \t]*\n[ \t]+(?P<block>.+)|"(?P<double>.*)"|'(?P<single>.*)'|(?P<plain>.+))$""",
    re.MULTILINE,
)


class CopilotSource:
    """The event logs, each with the title that is kept beside it."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every event log; what else a session's folder holds are its plan and files that its events tell of."""
        if homes.copilot is None:
            return
        for path in entries_of(homes.copilot / "session-state"):
            if isinstance(path, BadRecord):
                yield path
            elif path.suffix == ".jsonl":
                yield stat_log(AGENT, FORMAT, path)
            elif (events := path / _EVENTS).is_symlink() or events.exists():
                log, about = stat_log(AGENT, FORMAT, events), stat_log(AGENT, FORMAT, path / _ABOUT)
                if isinstance(log, LogFile) and isinstance(about, LogFile):
                    log = replace(log, fingerprint=f"{log.fingerprint}+{about.fingerprint}")
                yield log

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a log holds: the name of its folder or, of old, its own."""
        first = first_of_type(log, "session.start")
        began = parse_instant(object_of(first.get("data")).get("startTime")) or parse_instant(first.get("timestamp"))
        return LogIdentity(_session_id(log, first), began)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The session's items, event by event."""
        session_id = self.identify(log).session_id or log.path.stem
        if log.path.name == _EVENTS and (title := _title(log.path.with_name(_ABOUT))):
            yield SessionEvent(session_id, title=title)
        timeline = CopilotTimeline(str(log.path), session_id)
        yield from items_of_records(log, timeline.take, timeline.skipped)


SOURCE = CopilotSource()


def _session_id(log: LogFile, first: dict[str, Any]) -> str:
    own = log.path.parent.name if log.path.name == _EVENTS else log.path.stem
    return text_of(object_of(first.get("data")).get("sessionId")) or own


def _title(path: Path) -> str | None:
    """The name that a person gave a session, else the one that Copilot did."""
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            said = stream.read(_MAX_ABOUT)
    except OSError:
        return None
    found = {one["key"]: next(filter(None, one.groups()[1:]), "").strip() for one in _TITLE.finditer(said)}
    return found.get("name") or found.get("summary") or None
