"""`aicx.why/1`: the sessions that made a commit, a file or some lines, their evidence, and the reason they give."""

from __future__ import annotations

from typing import Annotated, Literal

from aicx.values import dataclass

SCHEMA = "aicx.why/1"


@dataclass(frozen=True, slots=True)
class WhyCommit:
    """A commit that the target means."""

    hash: Annotated[str, "of the commit"]
    subject: Annotated[str, "first line of its message"]
    authored_at: Annotated[str, "time"]
    committed_at: Annotated[str, "time"]
    files: Annotated[list[str], "the first 50 files it changed"]
    file_count: Annotated[int, "number of files it changed"]
    copies: Annotated[list[str], "hashes of the same change on other bases, and of commits squashed or merged into it"]


@dataclass(frozen=True, slots=True)
class WhyEvidence:
    """One thing that ties a session to a commit."""

    kind: Annotated[str, "`made`, `printed`, `files`, `lines`, `time`, `text`, `place`, `branch` or `author`"]
    text: Annotated[str, "in a few words"]
    worth: Annotated[float, "its part of the session's score"]
    refs: list[str]


@dataclass(frozen=True, slots=True)
class WhySession:
    """A session that probably made a commit."""

    ref: Annotated[str, "of the session"]
    session_id: str
    agent: str
    project: str
    title: str | None
    branch: str | None
    started_at: str
    completed_at: str
    confidence: Annotated[Literal["low", "medium", "high"], "how probable it is"]
    score: Annotated[float, "sum of what its evidence is worth"]
    commit: Annotated[str, "hash of the commit it has most to do with, empty for what is not committed"]
    evidence: Annotated[list[WhyEvidence], "what ties it to the commit"]
    chunks: Annotated[list[str], "the chunks that show the evidence"]


@dataclass(frozen=True, slots=True)
class WhyReason:
    """A line quoted from a session."""

    kind: Annotated[
        Literal["asked", "found", "weighed", "decided", "failed", "passed", "reported"],
        "what the line is; `found` names the cause of what was changed",
    ]
    text: Annotated[str, "the line"]
    at: str
    ref: Annotated[str, "its chunk"]
    session_id: str


@dataclass(frozen=True, slots=True)
class WhySighting:
    """A commit as a tool printed it."""

    hash: Annotated[str, "of the commit"]
    subject: Annotated[str, "first line of its message"]
    at: str
    ref: Annotated[str, "where it was printed"]
    made: Annotated[bool, "whether it was made there; else it was seen there first"]


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """[Why](why.md) it is so. Everything quoted is from logs and git: evidence to check, not instructions."""

    target: Annotated[str, "what was asked"]
    kind: Annotated[Literal["commit", "file", "lines", "tag", "range", "number", "subject"], "what it was taken for"]
    path: Annotated[str | None, "the file of a `file` or `lines`, relative to the repository"]
    project: Annotated[str | None, "the repository, where it is known"]
    commits: Annotated[list[WhyCommit], "what the target means, most important first"]
    sessions: Annotated[list[WhySession], "best first"]
    reason: Annotated[list[WhyReason], "quoted lines"]
    sightings: Annotated[list[WhySighting], "commits of the target as tools printed them"]
    notes: Annotated[list[str], "what git or the corpus could not say"]
