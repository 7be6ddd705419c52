"""The items of a log: its entries, facts of its session, and reports of what could not be read.

Names from outside are kept as they may be stored: redacted, and still another one for every other name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

from aicx.types import AgentHomes, Lane, Origin, Redacted, Role
from aicx.values import dataclass, regex

# The text of an entry for a compaction whose summary the log does not have in readable form.
CONTEXT_COMPACTED = "[Context compacted]"


@dataclass(frozen=True, slots=True)
class SourceRef:
    """Where a text came from: the bytes ``start:end`` of a log, and the SHA-256 (hex) of the record they hold."""

    path: str
    start: int
    end: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The facts of a tool record beyond its text. ``phase`` tells the request from its outcome."""

    name: str
    phase: Literal["call", "result"]
    call_id: str | None = None
    command: str | None = None  # the shell command line, when the call runs one
    files: tuple[str, ...] = ()  # paths named in the call's arguments or in a patch
    failed: bool | None = None  # results only; None where the log does not say
    exit_code: int | None = None
    seconds: float | None = None  # how long it ran, where the log says so


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One normalised event of a session, not yet redacted.

    ``at`` is aware and UTC. ``record_id`` is the agent's own stable id for the record (with a suffix where one record
    yields several entries), by which a copy in another log is recognised; None where the format has none.
    """

    agent: str
    session_id: str
    at: datetime
    role: Role
    text: str
    ref: SourceRef
    origin: Origin
    cwd: str | None = None
    branch: str | None = None
    record_id: str | None = None
    model: str | None = None
    tool: ToolUse | None = None


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """An entry before it has its session, time and provenance. ``suffix`` tells it from others of its message.

    ``at`` and ``record_id`` are said where they are others than those of its message.
    """

    role: Role
    origin: Origin
    text: str
    suffix: str = ""
    record_id: str | None = None
    tool: ToolUse | None = None
    at: datetime | None = None

    def placed(
        self, agent: str, session_id: str, at: datetime, ref: SourceRef, record_id: str | None, **more: str | None
    ) -> TimelineEntry:
        """The entry at its place; ``more`` are its folder, branch and model."""
        return TimelineEntry(
            agent, session_id, at, self.role, self.text, ref, self.origin, record_id=record_id, tool=self.tool, **more
        )


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """Something a log says about its session as a whole, in stream order: each field is None when not said here."""

    session_id: str
    title: str | None = None
    title_of_record: str | None = None  # the title belongs to the session holding this record id, not to this one
    parent_session: str | None = None
    lane: Lane | None = None
    remote_url: str | None = None  # git remote recorded by the agent itself
    cwd: str | None = None  # the folder ``remote_url`` was recorded for
    of_pull_request: bool = False  # ``remote_url`` is where a pull request was opened, not what git is configured for
    commit: str | None = None
    automated: str | None = None  # the evidence that a program gives the session its prompts


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record, or a whole log, that could not be read. Costs itself and nothing else."""

    path: Annotated[str, "of the log"]
    reason: Annotated[str, "why"]
    line: Annotated[int | None, "its number; null for a whole log"] = None


@dataclass(frozen=True, slots=True)
class SkippedRecords:
    """Records passed over on purpose: bookkeeping, scaffolding, unknown types. One item per reason and log."""

    path: str
    reason: str
    count: int


def passed_over(path: str, skipped: Mapping[str, int]) -> Iterator[SkippedRecords]:
    """The report of what was counted, by reason."""
    return (SkippedRecords(path, reason, count) for reason, count in skipped.items() if count)


@dataclass(frozen=True, slots=True)
class RecordMarks:
    """The records a log holds, in file order: ``record_mark`` of each, for titles given by record."""

    marks: bytes


@dataclass(frozen=True, slots=True)
class ReadPoint:
    """A place between two records of a log from which it can be read on: nothing read before it waits for what follows.

    ``state`` gives what a reader has to know there, as JSON without any text that was said.
    """

    start: int
    line: int  # the number of the line that ends there
    marks: int  # how many bytes of `RecordMarks` this reading has for what is before it
    state: Callable[[], dict[str, Any]]


class RecordsEnd:
    """All records are read. What follows is told because the log ends here, and may be something else when it grows."""


SourceItem = TimelineEntry | SessionEvent | BadRecord | SkippedRecords | RecordMarks


@dataclass(frozen=True, slots=True)
class LogFile:
    """One raw log on disk. ``fingerprint`` changes whenever its content may have changed; cheap to take (stat only)."""

    agent: str
    format: str
    path: Path
    size: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class LogIdentity:
    """Which session a log belongs to and when it began; ``session_id`` None for a log that holds many sessions."""

    session_id: str | None
    started_at: datetime | None
    lane: Lane = "primary"
    parent_session: str | None = None


class LogSource(Protocol):
    """The functions that a log format must offer; each module of ``aicx.sources`` exposes one as ``SOURCE``."""

    agent: str

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every log of this agent, in a stable order, by listing and stat alone."""
        ...

    def identify(self, log: LogFile) -> LogIdentity:
        """Which session ``log`` holds, from its name and its first records."""
        ...

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The log's items in file order, at most ``log.size`` bytes of it. Never raises for what a log contains."""
        ...


class GrowingSource(LogSource, Protocol):
    """A source whose logs can be read on from where reading stopped."""

    growing: frozenset[str]  # the formats that can

    def read_on(
        self, log: LogFile, start: int, line: int, state: Mapping[str, Any]
    ) -> Iterator[SourceItem | ReadPoint | RecordsEnd]:
        """As `read`, from a `ReadPoint` on, with those that follow it. Without a ``state`` from the beginning."""
        ...


MARK_BYTES = 8


def record_mark(record_id: str) -> bytes:
    """The mark of a record, from the agent's own id for it."""
    return blake2b(record_id.encode("utf-8", "replace"), digest_size=MARK_BYTES).digest()


Redact = Callable[[str], Redacted]
_UNSAFE = regex(r"[\[\]:]+")


def clean_id(text: str, redact: Redact) -> str:
    """``text`` redacted, and still another one for every other text: with a piece of its hash where it held a secret.

    For what has to stay distinct: two sessions must not become one because each has a token for its id.
    """
    found = redact(text)
    if not found.counts:
        return text
    return f"{found.text}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def clean_project(project: str, redact: Redact) -> str:
    """``org/repo`` redacted, and still a name for folders and another one for every other project."""
    return "/".join(_UNSAFE.sub("-", clean_id(part, redact)).strip("-") for part in project.split("/"))
