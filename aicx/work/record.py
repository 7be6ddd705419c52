"""The work record `aicx.work/1`: a task, a handoff or an attempt, and what is known about it, item by item.

Nothing here says whether a record may be used now: `aicx.work.place` derives that from git each time it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal, get_args

from aicx.storage.typed import SPARSE, Called, Made
from aicx.text import shorten
from aicx.values import dataclass
from aicx.work.contract import Contract

Outcome = Literal["success", "failure"]
MAX_LISTED = 200  # of each list


@dataclass(frozen=True, slots=True)
class Stated:
    """A statement of what a session did, beside what its log says."""

    opened: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """The part of a work record that only attempts and handoffs have.

    ``session`` is the agent's own id of it; ``exit_code`` that of a program which aicx ran.
    """

    agent: str
    session: str | None = None
    contract: Contract | None = None
    outcome: Outcome | None = None
    summary: str = ""
    stated: Stated = field(default=Stated())
    exit_code: int | None = None


Kind = Literal["thread", "handoff", "attempt"]
Status = Literal["in_progress", "paused", "blocked", "resolved", "abandoned"]
Closing = Literal["resolved", "abandoned", "blocked", "paused"]
Origin = Literal["stated", "derived"]  # by an agent or a person, or worked out from a log
Confidence = Literal["low", "medium", "high"]
Section = Literal[
    "active_files", "verified", "unverified", "discarded_paths", "uncertainties", "commands", "risks",
    # What handoffs have besides.
    "failing", "blocked", "next_steps", "questions", "decisions", "starting_points", "commits", "tests",
    "claims",  # of a configured summarizer
]  # fmt: skip

STATUSES: tuple[Status, ...] = get_args(Status)
CLOSINGS: tuple[Closing, ...] = get_args(Closing)
SECTIONS: tuple[Section, ...] = get_args(Section)
OPEN: frozenset[Status] = frozenset({"in_progress", "paused", "blocked"})
PREFIX = "work:"

MAX_TITLE, MAX_GOAL, MAX_TEXT, MAX_REF = 80, 1000, 500, 200  # characters
MAX_ITEMS = 200  # of a section; beyond it the oldest stay, and what was left out is reported
MAX_EVIDENCE, MAX_SOURCES, MAX_CHANGED = 20, 200, 64
_MARK = 1_000_000  # characters that marks of secrets may add, so that nothing is cut before it was redacted twice


@dataclass(frozen=True, slots=True)
class GitContext:
    """The state of git when a record was written. ``reason`` says why nothing is known where it is not available.

    ``branch`` is None where the head is detached, ``head`` before the first commit, ``dirty`` where it is not known.
    ``branch_mark`` is a hash of the branch's name, by which branches are compared: names may look the same once they
    are clean.
    """

    available: bool
    captured_at: datetime
    branch: str | None = None
    head: Made | None = None
    dirty: bool | None = None
    changed_files: tuple[str, ...] = ()
    branch_mark: Made | None = None
    reason: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is known. ``seen`` counts what it was seen in; ``confidence`` is of an uncertainty."""

    section: str
    text: str
    at: datetime
    origin: Origin = "stated"
    evidence: tuple[str, ...] = ()
    seen: int = 1
    confidence: Confidence | None = None
    needs_validation: bool | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The same for the same text in the same section, so that what is said twice is one item."""
        return sha256(f"{self.section}\0{self.text}".encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """One record. ``sequence`` orders records by when they were written, whatever the clock said.

    ``goal_source`` is ``stated`` or the reference of the session it was derived from, ``next_source`` what the next
    action was derived from, empty where somebody stated it. ``sources`` are references of sessions and chunks.
    ``focused`` is the sequence of the last start or resumption. ``extra`` has the fields that this version does not
    know.
    """

    id: Made
    kind: Kind
    title: str
    goal: str
    repo_id: Made
    worktree_id: Made
    created_at: datetime
    updated_at: datetime
    status: Status = "in_progress"
    goal_source: str = "stated"
    project: Called | None = None  # what the corpus calls the repository
    git_context: GitContext | None = None
    hypothesis: str = ""
    next_action: str = ""
    closing_note: str = ""
    items: tuple[Item, ...] = ()
    sources: tuple[str, ...] = ()
    parent: str | None = None
    attempt: Attempt | None = None
    rev: int = 1
    sequence: int = 0
    focused: int = 0
    last_event: Made | None = None
    next_source: tuple[str, ...] = field(default=(), metadata=SPARSE)
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """Its reference; that of the session for one that was derived, which is in no file and has no id."""
        return f"{PREFIX}{self.id}" if self.id else self.goal_source

    @property
    def slug(self) -> str:
        return slug_of(self.title)

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    def of(self, section: Section) -> tuple[Item, ...]:
        """The items of one section, the oldest first."""
        return tuple(item for item in self.items if item.section == section)

    def texts(self, section: Section) -> list[str]:
        return [item.text for item in self.of(section)]


def stored(text: str) -> str:
    """``text`` without secrets and without what a terminal would obey, as any file of ours may hold it."""
    from aicx.redaction import redact_plain  # imported here: reading does without its rules

    return redact_plain(text).text


def clean(text: str, limit: int = MAX_TEXT) -> str:
    """``text`` as it may be stored: without secrets, on one line of at most ``limit`` characters."""
    line = shorten(stored(text), len(text) + _MARK)
    return shorten(stored(line), limit)  # again, because what was on two lines may be a secret on one


def title_of(goal: str) -> str:
    """Returns what a task with this goal is called, from its first sentence."""
    first = re.split(r"(?<=[.!?])\s", goal, maxsplit=1)[0]
    return shorten(first, MAX_TITLE)


def slug_of(text: str) -> str:
    """The words of a title as they are written to refer to it: ``fix-the-export``."""
    return "-".join(re.findall(r"[^\W_]+", text.casefold()))


def words_of(goal: str) -> str:
    """A goal as goals are compared: the same however it is spaced and capitalised."""
    return " ".join(goal.casefold().split())


def task_id(repo_id: str, worktree_id: str, goal: str, attempt: int = 0) -> str:
    """The id of a new task: the first ``attempt`` that no other has."""
    return sha256(f"{repo_id}\0{worktree_id}\0{words_of(goal)}\0{attempt or ''}".encode()).hexdigest()[:12]


def with_items(items: Iterable[Item], new: Iterable[Item]) -> tuple[tuple[Item, ...], list[Item]]:
    """``items`` with ``new`` ones at the end, and those for which there was no room.

    What is there already gets the new evidence, and is counted as seen again where there is some.
    """
    found = {item.id: item for item in items}
    sizes: dict[str, int] = {}
    for item in found.values():
        sizes[item.section] = sizes.get(item.section, 0) + 1
    left_out = []
    for item in new:
        known = found.get(item.id)
        if known is not None:
            found[item.id] = _seen_again(known, item)
        elif sizes.get(item.section, 0) >= MAX_ITEMS:
            left_out.append(item)
        else:
            found[item.id] = item
            sizes[item.section] = sizes.get(item.section, 0) + 1
    return tuple(found.values()), left_out


def _seen_again(known: Item, again: Item) -> Item:
    evidence = tuple(dict.fromkeys([*known.evidence, *again.evidence]))[:MAX_EVIDENCE]
    return replace(
        known,
        evidence=evidence,
        seen=known.seen + (evidence != known.evidence),
        # What somebody stated wins over what was worked out.
        origin="stated" if "stated" in (known.origin, again.origin) else "derived",
        confidence=again.confidence or known.confidence,
        needs_validation=known.needs_validation if again.needs_validation is None else again.needs_validation,
    )
