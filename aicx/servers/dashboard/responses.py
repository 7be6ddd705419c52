"""The response model of each endpoint: those of the commands, and those of the page alone."""

from __future__ import annotations

from dataclasses import field, make_dataclass
from typing import Annotated, Any, Literal

from aicx.corpus.views.show import ListedChunk, SessionHead
from aicx.engine.index_answer import VectorIndex, WordIndex
from aicx.engine.search_answer import SearchItem, SearchStatus
from aicx.engine.steer_answer import SteerAnswer
from aicx.failure import Failure as Failure
from aicx.fields import INLINE, OPTIONAL
from aicx.memory.answers import ChangedLine, MemoryEntry
from aicx.servers.described import described
from aicx.types import Frame
from aicx.values import dataclass

Fields = dict[str, Any]
Ok = Literal[True]
Outcome = Literal["call", "result", "failed"]
Speaker = Literal["user", "assistant", "tool", "reasoning", "note"]
Alarm = Literal["critical", "warning"]


def succeeded(answer: type[Any]) -> type[Any]:
    """The class of an answer with ``ok`` before its own fields, those that are inlined in their place."""
    own = [
        (
            one.name,
            Annotated[one.type, one.meaning],
            field(default=None, metadata=OPTIONAL) if one.optional else field(),
        )
        for one in described(answer)
    ]
    every = [("ok", Ok, field()), *own]
    return make_dataclass(answer.__name__, every, frozen=True, kw_only=True, namespace={"__doc__": answer.__doc__})


@dataclass(frozen=True, slots=True)
class Health:
    """Somebody is there."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Stats:
    """The contents of the store, without what .aicxignore hides. Sizes are in bytes."""

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
    """The fate of an agent's logs by its own clean-up; an alarm is for those that are not stored."""

    agent: str
    says: str
    logs: int
    due_soon: int
    unstored_soon: int
    unstored_urgent: int
    alarm: Alarm | None
    problem: str | None


@dataclass(frozen=True, slots=True)
class Redactions:
    total: int
    by_kind: dict[str, int]


@dataclass(frozen=True, slots=True)
class Status:
    """How the corpus is doing."""

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
    first: Annotated[str, "day"]
    last: Annotated[str, "day"]
    latest: Annotated[str, "instant of the newest message"]


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
    """One agent's work in one project in the week from that Monday on."""

    week: str
    agent: str
    project: str
    sessions: int
    chunks: int


@dataclass(frozen=True, slots=True)
class AgentWeek:
    """One agent's work in that week; a session in several projects counts once."""

    week: str
    agent: str
    sessions: int
    chunks: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The corpus at a glance."""

    projects: list[Project]
    agents: list[Agent]
    kinds: list[Kind]
    weeks: list[Week]
    agent_weeks: list[AgentWeek]
    notes: list[str]
    member: Annotated[str | None, "who this home is in a share; null where it is part of none"] = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A call of a tool, or what came of it; ``call_id`` is the log's id of the call, the same in both."""

    name: str
    call_id: str | None
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said or done; ``part`` is set where a long message was cut."""

    role: Speaker
    at: str
    title: Annotated[str, "who speaks"]
    text: Annotated[str, "what was said"]
    tool: Tool | None
    folded: Annotated[bool, "whether it is shown on demand only"]
    part: Annotated[list[int] | None, "which part of how many, of a long message"]
    echo: Annotated[bool, "whether it repeats what is said elsewhere"]


@dataclass(frozen=True, slots=True)
class ReadChunk(ListedChunk):
    """A chunk as turns, with what is wrong with it where it cannot be read or does not fit its sidecar."""

    sources: list[Fields]
    previous: str | None
    next: str | None
    problem: Annotated[str | None, "what is wrong with it, or null"]
    altered: bool
    turns: Annotated[list[Turn], "what was said and done"]


@dataclass(frozen=True, slots=True)
class Detail:
    """A session and some of its chunks: from ``offset`` on, of ``total``."""

    session: SessionHead
    chunks: Annotated[list[ReadChunk], "some of its chunks"]
    offset: int
    total: Annotated[int, "number of its chunks"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Match:
    """An answer by words alone. ``score`` goes from 0 to 100: half of it for how much of the question was found."""

    file: Annotated[str, "the name of the chunk's file"]
    path: Annotated[str, "the chunk's absolute path"]
    id: str
    project: str
    kind: str
    frame_kind: Annotated[Frame, "whose words the first line is"]
    agent: str
    date: str
    score: Annotated[int, "0 to 100"]
    label: Annotated[Literal["HIGH", "MEDIUM", "LOW"], "`HIGH` for a score from 80, `MEDIUM` from 60, else `LOW`"]
    signal_density: Annotated[float, "the share of lines worth reading"]
    matched_lines: Annotated[list[str], "lines that match"]
    excerpt: Annotated[str, "the same as one text"]
    altered: bool


@dataclass(frozen=True, slots=True)
class Matches:
    """Answers by words alone."""

    query: str
    results: Annotated[list[Match], "best first"]
    total_scanned: Annotated[int, "chunks looked at"]
    notes: list[str]
    oracle_status: SearchStatus


@dataclass(frozen=True, slots=True)
class ProjectAnswers:
    project: str
    best: Annotated[float, "the score of its best answer"]
    found: Annotated[int, "number of its answers"]
    items: Annotated[list[SearchItem], "the best of them"]


@dataclass(frozen=True, slots=True)
class Crossed:
    """The best answers of each project."""

    query: str
    projects: list[ProjectAnswers]
    notes: list[str]
    oracle_status: SearchStatus


@dataclass(frozen=True, slots=True)
class Steered:
    """The list of `aicx steer`."""

    scanned: Annotated[int, "how many chunks were looked at"]
    answer: SteerAnswer = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class Started:
    """A run of `aicx store` has begun."""

    rebuilding: Literal[True]


@dataclass(frozen=True, slots=True)
class MemoryRepository:
    name: Annotated[str, "the repository"]
    records: Annotated[int, "number of its records"]


@dataclass(frozen=True, slots=True)
class MemoryProof:
    """The proof of a record: some lines of a file, or of a chunk."""

    ref: Annotated[str, "a reference, or a path with its lines"]
    lines: Annotated[list[str], "what is there now, without secrets"]


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """The lines that a record is anchored to, and what became of them."""

    path: Annotated[str, "the file, from the repository's folder"]
    lines: Annotated[list[int] | None, "the first and the last line, null for the whole file"]
    state: Annotated[str, "`current`, `relocated`, `changed`, `missing`, `moved`, `unreadable` or `unchecked`"]
    now: Annotated[str | None, "the file's name now, where it was renamed"]
    known: Annotated[bool, "whether git knows what the lines were"]
    more: Annotated[int, "changed lines that are left out"]
    diff: Annotated[list[ChangedLine], "the lines that changed"]


@dataclass(frozen=True, slots=True)
class MemoryCard:
    """A record with what a person looks at before deciding."""

    entry: Annotated[MemoryEntry, "the record"]
    digest: Annotated[str, "a hash of what a person decides on, to be sent with the decision"]
    because: Annotated[list[str], "its reasons in words"]
    details: Annotated[list[str], "further lines"]
    claims: Annotated[dict[str, str], "what it says in a form that can be compared: key → value"]
    decided_by: Annotated[str | None, "who accepted it, or null"]
    proofs: Annotated[list[MemoryProof], "what it rests on; empty in `agreed` and `apart`"]
    changes: Annotated[list[MemoryChange], "what changed below it; empty unless it is stale"]
    review: Annotated[str, "where it is in its review, such as `pending`, `approved`, `blocked` or `promoted`"]
    surface: Annotated[str, "where `aicx memory candidates promote` takes it: `memory`, or `instructions` for a patch"]


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """The memory of a repository, beside what holds everywhere."""

    repository: Annotated[str | None, "whose records these are"]
    at_hand: Annotated[bool, "whether its files are on this machine"]
    repositories: Annotated[list[MemoryRepository], "repositories with records, those with the most first"]
    counts: Annotated[dict[str, int], "status → number of records"]
    agreed: Annotated[list[MemoryCard], "the baseline, by topic"]
    waiting: Annotated[list[MemoryCard], "candidates"]
    waiting_total: Annotated[int, "number of all candidates"]
    conflicts: Annotated[list[list[MemoryCard]], "each two records that say otherwise"]
    stale: Annotated[list[MemoryCard], "what is no longer believed, the latest first"]
    apart: Annotated[list[MemoryCard], "what is kept apart, without its text"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision was made, and is an event."""

    entry: Annotated[MemoryEntry, "the record as it is now"]
