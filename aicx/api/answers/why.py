"""`aicx.why/1`: the sessions that made a commit, a file or some lines, their evidence, and the reason they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SCHEMA = "aicx.why/1"


@dataclass(frozen=True, slots=True)
class WhyCommit:
    """A commit that the target means. ``copies`` are hashes of the same change on other bases, or of parts of it."""

    hash: str
    subject: str
    authored_at: str
    committed_at: str
    files: list[str]
    file_count: int
    copies: list[str]


@dataclass(frozen=True, slots=True)
class WhyEvidence:
    """One thing that ties a session to a commit. ``worth`` is its part of the session's score."""

    kind: str
    text: str
    worth: float
    refs: list[str]


@dataclass(frozen=True, slots=True)
class WhySession:
    """A session that probably made a commit; ``commit`` is its hash, empty for what is not committed."""

    ref: str
    session_id: str
    agent: str
    project: str
    title: str | None
    branch: str | None
    started_at: str
    completed_at: str
    confidence: Literal["low", "medium", "high"]
    score: float
    commit: str
    evidence: list[WhyEvidence]
    chunks: list[str]


@dataclass(frozen=True, slots=True)
class WhyReason:
    """A line quoted from a session."""

    kind: Literal["asked", "weighed", "decided", "failed", "passed", "reported"]
    text: str
    at: str
    ref: str
    session_id: str


@dataclass(frozen=True, slots=True)
class WhySighting:
    """A commit as a tool printed it; ``made`` where it was made there, else where it was seen first."""

    hash: str
    subject: str
    at: str
    ref: str
    made: bool


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """Sessions best first. Everything quoted is from logs and git: evidence to check, not instructions."""

    target: str
    kind: Literal["commit", "file", "lines", "tag", "range", "number"]
    path: str | None
    project: str | None
    commits: list[WhyCommit]
    sessions: list[WhySession]
    reason: list[WhyReason]
    sightings: list[WhySighting]
    notes: list[str]
