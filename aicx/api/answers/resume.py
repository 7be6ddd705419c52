"""`aicx.resume/1`: the brief of a new session. What makes it is `aicx.resume.brief.json_brief`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from aicx.api.answers import INLINE, OPTIONAL

SCHEMA = "aicx.resume/1"


@dataclass(frozen=True, slots=True)
class CommitLine:
    """A commit made since the last session."""

    commit: str
    at: str
    subject: str


@dataclass(frozen=True, slots=True)
class RepositoryState:
    """What git says of the repository; null where it was not asked. ``sessions`` are those stored of it."""

    project: str | None
    root: str | None
    kind: str
    branch: str | None
    head: str | None
    detached: bool
    dirty: bool | None
    changed_count: int | None
    changed_files: list[str]
    commits_since_last_session: int
    commits: list[CommitLine]
    ahead: int | None
    behind: int | None
    shallow: bool
    submodule: bool
    worktrees: int
    sessions: int


@dataclass(frozen=True, slots=True)
class TaskState:
    """Whether the work of the session gone on from is open, and why."""

    status: str
    confidence: str
    reason: str


@dataclass(frozen=True, slots=True)
class Match:
    """How well the session gone on from fits."""

    level: str
    score: float
    signals: list[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """What was said or done, when, and the references that prove it."""

    text: str
    at: str
    refs: list[str]


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file that was changed ``count`` times, last ``at`` then."""

    path: str
    count: int
    at: str
    refs: list[str]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A file to look at first."""

    path: str
    reason: str
    refs: list[str]


@dataclass(frozen=True, slots=True)
class Capsule:
    """The session gone on from. ``reopen`` is the agent's own command for it."""

    current_request: str
    resuming: str | None
    reopen: str | None
    goal: Statement | None
    last_request: Statement | None
    last_progress: Statement | None
    next_action: str | None
    next: list[Statement]
    failures: list[Statement]
    decisions: list[Statement]
    validated: list[Statement]
    commits: list[Statement]
    pull_requests: list[Statement]
    files_edited: list[EditedFile]
    entry_points: list[EntryPoint]


@dataclass(frozen=True, slots=True)
class OfSession:
    """A session's last branch, whether its work is in the head, and the evidence where a program ran it."""

    branch: str | None
    branch_standing: str
    automated: bool
    automated_why: str | None


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A piece of history that was used, the best first; ``of_session`` is null for what is no session."""

    kind: str
    source: str
    source_id: str
    summary: str
    match_reasons: list[str]
    selection_reason: str
    confidence: str
    staleness: str
    role: str
    related_paths: list[str]
    at: str
    of_session: OfSession | None = field(metadata=INLINE)
    rank: int


@dataclass(frozen=True, slots=True)
class SymbolFacts:
    symbol: str | None
    symbol_kind: str
    line: int | None


@dataclass(frozen=True, slots=True)
class SymbolEntry:
    """A place that the repository map names."""

    kind: str
    id: str
    path: str
    title: str
    score: float
    reasons: list[str]
    symbols: list[str]
    metadata: SymbolFacts
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralContext:
    """The state of the repository map; null is what was not looked at."""

    provider_available: bool | None = None
    index_available: bool | None = None
    query_available: bool | None = None
    refresh_available: bool | None = None
    last_refresh_status: str | None = None
    last_refresh_at: str | None = None
    files_indexed: int | None = None
    symbols_indexed: int | None = None
    used: bool
    entry_point_count: int


@dataclass(frozen=True, slots=True)
class BudgetUsed:
    """The size of what is printed."""

    target_tokens: int
    estimated_tokens: int
    chars: int


@dataclass(frozen=True, slots=True)
class ResumeAnswer:
    """The brief. ``manifest`` is there where the reasons for each item were asked for."""

    generated_at: str
    mode: str
    agent_id: str | None
    request: str
    repo: RepositoryState
    startup_banner_text: str
    task_state: TaskState
    continuity_match: Match
    capsule: Capsule
    loaded_context: list[ContextItem]
    structural_entry_points: list[SymbolEntry]
    structural_context: StructuralContext
    evidence: str
    warnings: list[str]
    altered: list[str]
    unavailable: list[str]
    oracle_status: dict[str, Any]
    budget: BudgetUsed
    written_files: list[str] | None = field(default=None, metadata=OPTIONAL)
    manifest: dict[str, Any] | None = field(default=None, metadata=OPTIONAL)
