"""The answers of `aicx sessions`, but for its list: `aicx.session/1` and those of chain, search, stats and changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated

from aicx.fields import INLINE
from aicx.sessions import Edge, EdgeType, Origin
from aicx.sessions.stated import Inferred, Outcome, State
from aicx.sessions.windows import WindowAnswer
from aicx.values import dataclass

SCHEMA = "aicx.session/1"
CHAIN_SCHEMA = "aicx.session_chain/1"
SEARCH_SCHEMA = "aicx.session_search/1"
STATS_SCHEMA = "aicx.session_stats/1"

Ref = Annotated[str, "the session, as `session:<agent>:<id>`"]


@dataclass(frozen=True, slots=True)
class SessionNode:
    """A session in a family. One that only an edge or an event names is not stored: its facts are null."""

    ref: Ref
    agent: str
    session_id: str
    stored: Annotated[bool, "whether it is in the corpus"]
    title: str | None
    project: str | None
    lane: str | None
    started_at: str | None
    completed_at: str | None
    state: Annotated[State, "`open` or `closed`"]
    outcome: Annotated[
        Outcome | None,
        "how it ended: `ok`, `error`, `canceled` or `abandoned`, as was stated; else null, never guessed",
    ]
    close_inferred: Annotated[
        Inferred | None,
        "why it counts as closed though nothing states it: no message for 24 hours (`idle`), or another session goes on"
        " with it (`successor`)",
    ]
    closed_at: Annotated[str | None, "when it was stated to be closed"]


@dataclass(frozen=True, slots=True)
class SessionWork:
    """The work of a session in one repository, told by rules alone."""

    project: str
    goal: Annotated[str | None, "what was asked for"]
    next: Annotated[list[str], "what was still to be done at its end"]
    files: Annotated[list[str], "files that it edited, from the repository's root"]
    commits: Annotated[list[str], "subjects of the commits it made"]
    progress: Annotated[str, "`completed`, `active` or `unknown`: whether its work looks done"]
    progress_reason: Annotated[str, "why, as a code"]


@dataclass(frozen=True, slots=True)
class Ages:
    """How much of a session is stored."""

    projects: Annotated[list[str], "the repositories it is filed under"]
    cwd: str | None
    branch: Annotated[str | None, "the last git branch"]
    chunks: int
    messages: int
    automated_why: str | None
    opened_at: Annotated[str | None, "when `aicx sessions open` began it last"]


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of a person and what came of it, up to their next message."""

    index: Annotated[int, "from 0"]
    at: Annotated[str, "when it began"]
    ended_at: Annotated[str, "when its last message was"]
    prompt: Annotated[str | None, "the beginning of what was asked; null where the session began without"]
    answer: Annotated[str | None, "the beginning of the agent's last message in it"]
    messages: int
    tool_calls: Annotated[dict[str, int], "tool → calls"]
    files: Annotated[list[str], "files that tools were called with, 20 at most"]
    failed: Annotated[int, "results that failed"]
    chunk: Annotated[str, "reference of the chunk that it begins in"]


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """A session, what it came from, and what came of it."""

    found_by: Annotated[
        str,
        "what named the session: `explicit`, the name of an environment variable, or `identity file`",
    ]
    node: SessionNode = field(metadata=INLINE)
    kept: Ages = field(metadata=INLINE)
    work: Annotated[list[SessionWork], "what it did, by repository"]
    windows: Annotated[list[WindowAnswer], "its context windows"]
    turns: Annotated[list[Turn], "its turns, the last 500 of them"]
    older: Annotated[list[Edge], "edges to the sessions it came from"]
    newer: Annotated[list[Edge], "edges from the sessions that came from it"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ChainItem:
    """A session of a chain."""

    depth: Annotated[int, "how many edges away it is; 0 for the session asked about"]
    edge: Annotated[Edge | None, "the edge that leads to it from one a step nearer; null at depth 0"]
    node: SessionNode = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class ChainAnswer:
    """The sessions that one came from."""

    found_by: Annotated[str, "as in [`show --about`](#sessions-show-aicxsession1)"]
    depth: Annotated[int, "as asked"]
    more: Annotated[bool, "whether it goes on beyond that"]
    items: Annotated[list[ChainItem], "the session and its ancestors, by depth"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session that answers a question."""

    score: Annotated[float, "how well it answers; compares answers to one question only"]
    chunk: Annotated[str, "its chunk that answers best, as `aicx show` takes it"]
    node: SessionNode = field(metadata=INLINE)
    goal: Annotated[str | None, "what was asked for in it"]
    lines: Annotated[list[str], "lines of it that answer"]


@dataclass(frozen=True, slots=True)
class SessionSearchAnswer:
    """Sessions that answer a question, the best first."""

    query: str
    results: int
    matched: int
    items: Annotated[list[FoundSession], "sessions"]
    rankers: Annotated[list[str], "the retrievers that answered"]
    evidence: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class EdgeCount:
    """How many edges there are of one type and origin."""

    type: Annotated[EdgeType, "as in the edges of `show --about`"]
    origin: Annotated[Origin, "as there"]
    count: Annotated[int, "how many"]


@dataclass(frozen=True, slots=True)
class SessionStatsAnswer:
    """How many sessions there are, by what is known of them."""

    sessions: Annotated[int, "sessions that are stored, or that something was stated of"]
    stored: Annotated[int, "those in the corpus"]
    by_agent: Annotated[Mapping[str, int], "sessions of each agent"]
    by_lane: Annotated[Mapping[str, int], "of each lane; `unknown` where nothing is stored"]
    by_state: Annotated[Mapping[str, int], "`open`, `closed` where that was stated, and `closed: idle` and such"]
    by_outcome: Annotated[Mapping[str, int], "as stated; `none` where nothing was"]
    edges: Annotated[list[EdgeCount], "edges between sessions, by type and origin"]
    notes: list[str]
