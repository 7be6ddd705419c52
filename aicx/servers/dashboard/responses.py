"""The response model of each endpoint: answers of `aicx.api.answers`, and those of the page alone."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Literal, get_type_hints

from aicx.api.answers import OPTIONAL
from aicx.api.answers.index import VectorIndex, WordIndex
from aicx.api.answers.search import SearchItem, SearchStatus
from aicx.api.answers.show import SessionHead
from aicx.api.answers.steer import SteerStatus

Fields = dict[str, Any]
Ok = Literal[True]


def succeeded(answer: type[Any]) -> type[Any]:
    """A class of `aicx.api.answers` with ``ok`` before its own fields."""
    types = get_type_hints(answer)
    own = [(one.name, types[one.name]) for one in fields(answer)]
    return make_dataclass(answer.__name__, [("ok", Ok), *own], frozen=True, namespace={"__doc__": answer.__doc__})


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, and what to do next."""

    ok: Literal[False]
    error: str
    hint: str | None


@dataclass(frozen=True, slots=True)
class Health:
    """Somebody is there."""

    ok: Ok
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Stats:
    """What is stored, without what .aicxignore hides. Sizes are in bytes."""

    chunks: int
    sessions: int
    projects: int
    agents: int
    messages: int
    bytes: int
    first: str | None
    last: str | None


@dataclass(frozen=True, slots=True)
class Indexes:
    lexical: WordIndex
    dense: VectorIndex | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an agent's own clean-up will do to its logs; an alarm is for those that are not stored."""

    agent: str
    says: str
    logs: int
    due_soon: int
    unstored_soon: int
    unstored_urgent: int
    alarm: Literal["critical", "warning"] | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class Redactions:
    total: int
    by_kind: dict[str, int]


@dataclass(frozen=True, slots=True)
class Status:
    """How the corpus is doing."""

    ok: Ok
    mode: str
    rebuilding: bool
    generated_at: str
    build_count: int
    store_root: str
    stats: Stats
    index: Indexes
    retention: list[Outlook]
    redactions: Redactions
    assumptions: list[str]
    last_error: str | None


@dataclass(frozen=True, slots=True)
class Project:
    project: str
    sessions: int
    chunks: int
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Agent:
    agent: str
    sessions: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Kind:
    kind: str
    sessions: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Week:
    """What one agent did in one project in the week from that Monday on."""

    week: str
    agent: str
    project: str
    sessions: int
    chunks: int


@dataclass(frozen=True, slots=True)
class AgentWeek:
    """What one agent did in that week; a session in several projects counts once."""

    week: str
    agent: str
    sessions: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The corpus at a glance."""

    ok: Ok
    projects: list[Project]
    agents: list[Agent]
    kinds: list[Kind]
    weeks: list[Week]
    agent_weeks: list[AgentWeek]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of a tool, or what came of it; ``call_id`` is the log's id of the call, the same in both."""

    name: str
    call_id: str | None
    outcome: Literal["call", "result", "failed"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said or done; ``part`` is set where a long message was cut."""

    role: Literal["user", "assistant", "tool", "reasoning", "note"]
    at: str
    title: str
    text: str
    tool: Tool | None
    folded: bool
    part: list[int] | None
    echo: bool


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """A chunk as turns, with what is wrong with it where it cannot be read or does not fit its sidecar."""

    id: str
    number: int
    path: str
    project: str
    date: str
    kind: str
    started_at: str
    completed_at: str
    messages: int
    tokens: int | None
    sources: list[Fields]
    previous: str | None
    next: str | None
    problem: str | None
    altered: bool
    turns: list[Turn]


@dataclass(frozen=True, slots=True)
class Detail:
    """A session and some of its chunks: from ``offset`` on, of ``total``."""

    ok: Ok
    session: SessionHead
    chunks: list[ReadChunk]
    offset: int
    total: int
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Match:
    """An answer by words alone. ``score`` goes from 0 to 100: half of it for how much of the question was found."""

    file: str
    path: str
    id: str
    project: str
    kind: str
    frame_kind: Literal["user_msg", "agent_reply", "internal_thought", "tool_call"]
    agent: str
    date: str
    score: int
    label: Literal["HIGH", "MEDIUM", "LOW"]
    signal_density: float
    matched_lines: list[str]
    excerpt: str
    altered: bool


@dataclass(frozen=True, slots=True)
class Matches:
    """Answers by words alone."""

    ok: Ok
    query: str
    results: list[Match]
    total_scanned: int
    notes: list[str]
    oracle_status: SearchStatus


@dataclass(frozen=True, slots=True)
class ProjectAnswers:
    project: str
    best: float
    found: int
    items: list[SearchItem]


@dataclass(frozen=True, slots=True)
class Crossed:
    """The best answers of each project."""

    ok: Ok
    query: str
    projects: list[ProjectAnswers]
    notes: list[str]
    oracle_status: SearchStatus


@dataclass(frozen=True, slots=True)
class Steered:
    """Chunks by what is known of them: the fields of their sidecars, and where they are.

    With a question also ``query``, ``order``, ``decay`` and ``evidence``, a ``score`` of each item, and the status of a
    search.
    """

    ok: Ok
    scanned: int
    matched: int
    items: list[Fields]
    notes: list[str]
    oracle_status: SteerStatus | SearchStatus
    query: str | None = field(default=None, metadata=OPTIONAL)
    order: Literal["relevance", "newest"] | None = field(default=None, metadata=OPTIONAL)
    decay: str | None = field(default=None, metadata=OPTIONAL)
    evidence: str | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class Started:
    """A run of `aicx store` has begun."""

    ok: Ok
    rebuilding: Literal[True]
