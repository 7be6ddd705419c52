"""The values that move between modules: plain, frozen, and free of behaviour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, Protocol

Role = Literal["user", "assistant", "reasoning", "tool", "system", "artifact"]

# Who really wrote a text, which the role alone does not say: agents put their own scaffolding, their summaries
# and their tools' output into "user" records.
# `program` is a prompt that a program gave (`claude -p`, `codex exec`, a hook), `pasted` one that is nothing but what a
# terminal or an agent had printed.
Origin = Literal["typed", "program", "pasted", "agent", "tool", "injected", "compaction", "artifact"]
# What opens a turn: the model was asked something.
PROMPTS: frozenset[Origin] = frozenset(("typed", "program", "pasted"))

# Who speaks in a text: one who answers, the same thinking aloud, one who asks, or a tool that prints.
Voice = Literal["said", "thought", "asked", "tool"]

# What exports call the sorts of messages, by the role that has each.
Frame = Literal["user_msg", "agent_reply", "internal_thought", "tool_call"]
FRAMES: Mapping[str, Frame] = {
    "user": "user_msg",
    "assistant": "agent_reply",
    "reasoning": "internal_thought",
    "tool": "tool_call",
}

Lane = Literal["primary", "subagent"]

Kind = Literal["conversations", "plans", "reports", "other"]
KINDS: tuple[Kind, ...] = ("conversations", "plans", "reports", "other")


@dataclass(frozen=True, slots=True)
class SourceRef:
    """Where a text came from: the bytes ``start:end`` of a log, and the SHA-256 (hex) of the record they hold."""

    path: str
    start: int
    end: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What a tool record says beyond its text. ``phase`` tells the request from its outcome."""

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
class Unread:
    """A file that could not be read, or not in full."""

    path: Annotated[str, "of the file"]
    reason: Annotated[str, "why"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Records passed over on purpose: bookkeeping, scaffolding, unknown types. One item per reason and log."""

    path: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class RecordMarks:
    """The records a log holds, in file order: ``aicx.sources.record_marks`` of each, for titles given by record."""

    marks: bytes


SourceItem = TimelineEntry | SessionEvent | BadRecord | Skipped | RecordMarks


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


@dataclass(frozen=True, slots=True)
class AgentHomes:
    """The folders the agents keep their logs in."""

    claude: Path
    codex: Path
    gemini: Path


class Source(Protocol):
    """What a log format must offer; each module of ``aicx.sources`` exposes one as ``SOURCE``."""

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


@dataclass(frozen=True, slots=True)
class Message:
    """One message as stored in a chunk: bytes ``start:end`` of the chunk's Markdown hold its text."""

    at: datetime
    role: Role
    origin: Origin
    key: str
    start: int
    end: int
    part: tuple[int, int] | None = None  # (i, n) where a long message was cut into n parts
    repeated: bool = False  # overlap with the chunk before
    text_key: str | None = None


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text with its secrets replaced, and how often each rule fired.

    ``plain`` where it is known that the text holds nothing a terminal would obey.
    """

    text: str
    counts: dict[str, int] = field(default_factory=dict)
    plain: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Part:
    """One text inside a document. ``weight`` says how much it counts: below 1 for what tools printed.

    ``field`` groups texts of one nature for rankers that weigh fields on their own.
    """

    text: str
    weight: float = 1.0
    field: str = "said"


@dataclass(frozen=True, slots=True)
class Document:
    """What an indexer is handed: opaque texts under an id, with columns to filter on.

    ``version`` changes whenever anything else does. ``header`` is context that belongs in front of every passage of
    the document and is not part of its text.
    """

    id: str
    version: str
    header: str
    parts: tuple[Part, ...]
    columns: Mapping[str, str | int | None]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranker's vote for a document: its score on the ranker's own scale, and the passage that earned it."""

    id: str
    score: float
    passage: int = 0
