"""`aicx.task-pack/1`, `aicx.family-pack/1`: complete bundles as they are stored; `aicx.pack/1`: what a command answers.

Stored as canonical JSON: keys sorted, no spaces, UTF-8. Their digest is that of these bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from aicx.memory.answers import MemoryEntry
from aicx.values import dataclass
from aicx.work.answers import TaskEntry

TASK_SCHEMA = "aicx.task-pack/1"
FAMILY_SCHEMA = "aicx.family-pack/1"
SCHEMA = "aicx.pack/1"


@dataclass(frozen=True, slots=True)
class PackScope:
    """Whose sessions and tasks were looked at."""

    requested: Annotated[str, "`workspace` (this working folder), `family` (all worktrees of the repository) or `auto`"]
    applied: Annotated[str, "`workspace` or `family`"]
    why: Annotated[str, "why, where `auto` was asked for; else empty"]


@dataclass(frozen=True, slots=True)
class PackFilters:
    """The request for a pack."""

    focus_query: Annotated[str | None, "the question that it is about"]
    date_from: Annotated[str | None, "first day"]
    date_to: Annotated[str | None, "last day, which counts too"]


@dataclass(frozen=True, slots=True)
class PackPlace:
    """The repository."""

    root: str
    repo_id: Annotated[str, "the repository's id on this machine, the same in all its worktrees"]
    worktree_id: Annotated[str, "the id of this working folder"]
    project: Annotated[str | None, "what the corpus calls the repository"]
    branch: str | None
    head: Annotated[str | None, "the commit that is checked out"]
    dirty: Annotated[bool | None, "whether something is not committed; null where git does not say"]


@dataclass(frozen=True, slots=True)
class PackSession:
    """A session, and why it is in."""

    ref: Annotated[str, "its reference"]
    reason: Annotated[
        str,
        "`task_session`, `handoff_session`, `same_files`, `title_in_summary`, `same_branch`, `focus_query`, `newest`",
    ]
    score: Annotated[int, "by which those that are no session of the task are ordered"]
    agent: str
    title: Annotated[str | None, "what it is called"]
    branch: str | None
    started_at: str
    ended_at: Annotated[str, "when it ended"]
    state: Annotated[str, "`active`, `completed` or `unknown`"]
    goal: Annotated[str | None, "what was wanted"]
    summary: Annotated[str | None, "what was said last"]
    next: Annotated[Sequence[str], "what it left to be done"]
    failing: Annotated[Sequence[str], "what failed and did not pass since"]
    files: Annotated[Sequence[str], "files it edited, from the repository's folder"]


@dataclass(frozen=True, slots=True)
class PackEdge:
    """How two sessions are related; see [sessions](sessions.md)."""

    from_ref: Annotated[str, "the newer session"]
    to_ref: Annotated[str, "the older session"]
    type: Annotated[str, "`continues`, `forked_from`, `delegated_by` or `related`"]
    reason: Annotated[str, "why, in a sentence"]
    confidence: Annotated[float, "0 to 1; 1 for what a log or a person states"]
    origin: Annotated[str, "`log`, `derived` or `stated`"]


@dataclass(frozen=True, slots=True)
class PackHandoff:
    """A handoff of a session, and why it is in."""

    ref: Annotated[str, "`work:…` where somebody stated it, else the session that it is derived from"]
    reason: Annotated[str, "`of_task` or `of_session`"]
    origin: Annotated[str, "`stated` or `derived`"]
    session: Annotated[str | None, "reference of the session"]
    at: str
    branch: str | None
    outcome: Annotated[str, "`resolved`, `failed`, or `unresolved` where no log says how it ended"]
    goal: Annotated[str, "what was wanted"]
    summary: Annotated[str, "what was said last"]
    done: Annotated[Sequence[str], "what was reached and proved"]
    failing: Annotated[Sequence[str], "what failed and did not pass since"]
    next: Annotated[Sequence[str], "what is to be done next"]
    questions: Annotated[Sequence[str], "asked and not answered"]
    decisions: Annotated[Sequence[str], "what was decided"]
    refs: Annotated[Sequence[str], "references that prove it"]


@dataclass(frozen=True, slots=True)
class PackCommit:
    hash: Annotated[str, "the whole hash"]
    at: Annotated[str, "when it was committed"]
    subject: Annotated[str, "the first line of its message"]


@dataclass(frozen=True, slots=True)
class PackFile:
    """A file that is touched."""

    path: Annotated[str, "from the repository's folder"]
    reasons: Annotated[Sequence[str], "`in_task`, `in_handoff`, `edited`, `failed_here`"]
    sessions: Annotated[int, "how many of the sessions in the pack edited it"]
    commits: Annotated[Sequence[PackCommit], "the last commits of the head that changed it"]


@dataclass(frozen=True, slots=True)
class PackAnchor:
    """A place that the repository map names."""

    ref: Annotated[str, "`map:path:line`"]
    symbol: Annotated[str | None, "what is defined there"]
    reasons: Annotated[Sequence[str], "why the map names it"]


@dataclass(frozen=True, slots=True)
class PackNote:
    """A line of a note."""

    kind: Annotated[
        str,
        "`closing_note` of a task, or the section of the [note of continuity](continuity.md): `next`, `failed`,"
        " `untried`, `decision`, `environment`, `confirmed`",
    ]
    text: Annotated[str, "what was noted"]
    at: Annotated[str | None, "when, as far as it is known"]
    refs: Annotated[Sequence[str], "references that it rests on; none for what a person wrote"]


@dataclass(frozen=True, slots=True)
class TaskPack:
    """All that is known of one task."""

    generated_at: str
    place: Annotated[PackPlace, "the repository"]
    scope: Annotated[PackScope, "whose sessions were looked at"]
    filters: Annotated[PackFilters, "what was asked for"]
    limits: Annotated[Mapping[str, int], "how many there may be of each"]
    task: Annotated[TaskEntry, "the task"]
    handoffs: Annotated[Sequence[PackHandoff], "those of the task, then those of the sessions, the newest first"]
    sessions: Annotated[Sequence[PackSession], "those of the task, then the others by score"]
    related: Annotated[Sequence[PackEdge], "edges between the task's sessions and others, from the newer to the older"]
    files: Annotated[Sequence[PackFile], "those of the task first"]
    external_refs: Annotated[Sequence[str], "paths outside the repository, and pull requests"]
    commits: Annotated[Sequence[PackCommit], "the last commits of the head"]
    map_anchors: Annotated[Sequence[PackAnchor], "where the repository map says to look"]
    memory: Annotated[Sequence[MemoryEntry], "records and instruction files that fit the task, each with its labels"]
    notes: Annotated[Sequence[PackNote], "the note of continuity, then those of tasks that were closed here last"]
    left_out: Annotated[Mapping[str, int], "how many more there were than the limits allow"]
    remarks: Annotated[Sequence[str], "what could not be looked at"]


@dataclass(frozen=True, slots=True)
class Support:
    """The support of an item of a family."""

    owner_count: Annotated[int, "how many tasks and sessions say it, each counted once"]
    latest_updated_at: Annotated[str, "when it was said last"]
    latest_age_days: Annotated[int, "whole days from then to `generated_at`"]
    source_owners: Annotated[Sequence[str], "their references, the newest first, at most 10"]


@dataclass(frozen=True, slots=True)
class FamilyItem:
    """A line of a list."""

    text: Annotated[str, "what is said"]
    origin: Annotated[str, "`stated` by a person or an agent, or `derived` from logs"]
    refs: Annotated[Sequence[str], "references that prove it"]
    support: Annotated[Support, "what it rests on"]


@dataclass(frozen=True, slots=True)
class FamilyOwner:
    """A task, or a session that belongs to none. What is said in one of its sessions is said by it."""

    ref: Annotated[str, "its reference"]
    kind: Annotated[str, "`task` or `session`"]
    title: Annotated[str, "what it is called"]
    status: Annotated[str, "that of the task; of a session `active`, `completed` or `unknown`"]
    started_at: str
    updated_at: Annotated[str, "when it was last active"]
    branch: str | None
    sessions: Annotated[Sequence[str], "its sessions, the newest first"]
    chosen: Annotated[bool, "whether the summary is about it"]
    reason: Annotated[str, "why it is in: `in_scope`, or `focus_query`"]


@dataclass(frozen=True, slots=True)
class FamilyPack:
    """The sessions and tasks of a repository, as they speak together."""

    generated_at: str
    place: Annotated[PackPlace, "the repository"]
    scope: Annotated[PackScope, "whose sessions and tasks were looked at"]
    filters: Annotated[PackFilters, "what was asked for"]
    limits: Annotated[Mapping[str, int], "how many there may be of each"]
    owners: Annotated[Sequence[FamilyOwner], "tasks and sessions, the last active first"]
    current_focus: Annotated[Sequence[FamilyItem], "what is open now"]
    recent_changes: Annotated[Sequence[FamilyItem], "what was committed, and pull requests"]
    learnings: Annotated[Sequence[FamilyItem], "what was decided, proved, or resolved a failure"]
    recurring_learnings: Annotated[Sequence[FamilyItem], "what several owners say"]
    risks: Annotated[Sequence[FamilyItem], "what fails and was not resolved since, and what was feared"]
    next_work: Annotated[Sequence[FamilyItem], "what is still to be done, and questions without an answer"]
    recurring_mistakes: Annotated[Sequence[FamilyItem], "failures that several owners met"]
    commits: Annotated[Sequence[PackCommit], "the last commits of the head"]
    memory: Annotated[Sequence[MemoryEntry], "what is agreed, and instruction files, each with its labels"]
    left_out: Annotated[Mapping[str, int], "how many more there were than the limits allow"]
    remarks: Annotated[Sequence[str], "what could not be looked at"]


@dataclass(frozen=True, slots=True)
class PackSummary:
    """A pack in a few lines."""

    text: Annotated[str, "Markdown; what is from logs is between fences"]
    tokens: Annotated[int, "its size, at most the budget"]
    budget: Annotated[int, "tokens it may have"]
    requested: Annotated[str, "`deterministic`, `llm` or `llm_cleanup`"]
    by: Annotated[str, "`rules` or `summarizer`"]
    note: Annotated[str, "what became of asking the summarizer; empty where it was not asked"]
    omitted: Annotated[Mapping[str, int], "lines that did not fit, by section"]


@dataclass(frozen=True, slots=True)
class PackAnswer:
    """A pack that was made, or opened again."""

    artifact: Annotated[str, "its digest, which `aicx show` opens"]
    kind: Annotated[str, "`task_pack` or `family_pack`"]
    new: Annotated[bool, "whether it was not stored before"]
    summary: Annotated[PackSummary, "what it says, within the budget"]
    pack: Annotated[Mapping[str, Any], "the pack as it is stored: a `TaskPack` or a `FamilyPack`, and its schema"]


def sessions_quoted(pack: TaskPack | FamilyPack, refs: Iterable[str]) -> tuple[str, ...]:
    """The sessions, as `forget` names them, that ``refs`` name or that the memory of a pack rests on."""
    sources = (entry.source for entry in pack.memory)
    known = [f"session:{one['agent']}:{one['session']}" for one in sources if "agent" in one and "session" in one]
    every = [*refs, *known, *(ref for entry in pack.memory for ref in entry.evidence)]
    return tuple(dict.fromkeys(filter(None, map(session_name, every))))


def session_name(ref: str) -> str | None:
    """``claude:3f2a…`` of a reference to a session or one of its chunks; None for any other."""
    kind, _, rest = ref.partition(":")
    agent, _, session = rest.partition("#")[0].partition(":")
    if kind not in ("session", "chunk") or not session:
        return None
    if kind == "chunk":
        session = session.rpartition(":")[0] or session
        session = session.replace("~~", "\0").partition("~")[0].replace("\0", "~")
    return f"{agent}:{session}"
