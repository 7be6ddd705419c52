"""The logs that `aicx run` writes below the home, of programs that write none themselves: Aider, a shell, a test run.

One agent, `run`; a session's id begins with the name of its program, so ``run:aider-…`` is one of Aider.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from aicx.sources import RUN
from aicx.sources.items import (
    BadRecord,
    LogFile,
    LogIdentity,
    SessionEvent,
    SourceItem,
    TimelineEntry,
    ToolUse,
    passed_over,
)
from aicx.sources.records import RawRecord, entries_of, first_of_type, parse_instant, read_jsonl, stat_log
from aicx.sources.values import exit_code_of, quoted, string_of, text_of
from aicx.text import shorten
from aicx.types import AgentHomes, Origin, Role

FORMAT = "run"
_MAX_SECONDS = 1 << 31
_TITLED = 60  # characters of a command in a title, behind which there is room for how it ended


class RunSource:
    """A file for each run: a ``session`` record, a ``printed`` one for each stretch of output, an ``end``."""

    agent = RUN

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        for path in entries_of(homes.runs) if homes.runs is not None else ():
            if isinstance(path, BadRecord):
                yield path
            elif path.suffix == ".jsonl":
                yield stat_log(RUN, FORMAT, path)

    def identify(self, log: LogFile) -> LogIdentity:
        first = first_of_type(log, "session")
        return LogIdentity(_session_of(log, first), parse_instant(first.get("at")))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        reading = _RunState(log)
        for item in read_jsonl(log):
            if isinstance(item, BadRecord):
                yield item
            else:
                yield from reading.take(item)
        yield from passed_over(str(log.path), reading.skipped)


class _RunState:
    """Reads the records of one log, and keeps what carries over from one to the next."""

    def __init__(self, log: LogFile) -> None:
        self._path = str(log.path)
        self._session: str = log.path.stem
        self._log = log
        self._cwd: str | None = None
        self._branch: str | None = None
        self._title = ""  # of a program that was given no task
        self._at: datetime | None = None
        self._count = 0
        self.skipped: Counter[str] = Counter()

    def take(self, record: RawRecord) -> Iterator[SourceItem]:
        value = record.value
        self._at = parse_instant(value.get("at")) or self._at
        kind = value.get("type")
        if kind not in ("session", "printed", "end"):
            self.skipped[f"unknown type: {quoted(kind)}"] += 1
        elif self._at is None:
            yield BadRecord(self._path, "record without a time in a log without any", record.line)
        elif kind == "session":
            yield from self._begin(record, self._at)
        elif kind == "printed":
            text = string_of(value.get("text"))
            if text.strip():
                yield self._entry(record, self._at, "assistant", "agent", text)
            else:
                self.skipped["empty output"] += 1
        else:
            yield from self._end(record, self._at)

    def _begin(self, record: RawRecord, at: datetime) -> Iterator[SourceItem]:
        value = record.value
        self._session = _session_of(self._log, value)
        self._cwd, self._branch = text_of(value.get("cwd")), text_of(value.get("branch"))
        if task := string_of(value.get("task")).strip():
            yield self._entry(record, at, "user", "typed", task)
        command = string_of(value.get("command"))
        if command.strip():
            if not task:
                self._title = f"`{shorten(' '.join(command.split()), _TITLED)}`"
                yield SessionEvent(self._session, title=self._title)
            use = ToolUse(RUN, "call", self._session, command)
            yield self._entry(record, at, "tool", "agent", command, use)

    def _end(self, record: RawRecord, at: datetime) -> Iterator[SourceItem]:
        value = record.value
        code = exit_code_of(value.get("exit_code"))
        use = ToolUse(
            RUN,
            "result",
            self._session,
            failed=None if code is None else code != 0,
            exit_code=code,
            seconds=_duration(value.get("seconds")),
        )
        ended = "ended" if code is None else f"exit code {code}"
        if self._title and code is not None:
            yield SessionEvent(self._session, title=f"{self._title} ended with exit code {code}")
        yield self._entry(record, at, "tool", "tool", string_of(value.get("text")).strip("\n") or ended, use)

    def _entry(
        self, record: RawRecord, at: datetime, role: Role, origin: Origin, text: str, tool: ToolUse | None = None
    ) -> TimelineEntry:
        self._count += 1
        return TimelineEntry(
            RUN,
            self._session,
            at,
            role,
            text,
            record.ref(self._path),
            origin,
            cwd=self._cwd,
            branch=self._branch,
            record_id=f"{self._session}:{self._count}",
            tool=tool,
        )


def _session_of(log: LogFile, first: dict[str, Any]) -> str:
    return text_of(first.get("id")) or log.path.stem


def _duration(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < _MAX_SECONDS else None


SOURCE = RunSource()
