"""The request model of each endpoint, from which its checks and its description are made."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from aicx.servers.questions import (
    ABOUT,
    QUESTION,
    TARGET,
    Asked,
    FilteredQuestion,
    Mode,
    Name,
    SearchQuestion,
    SteerQuestion,
    Team,
    at_most,
)
from aicx.types import Frame

Question = Annotated[str, QUESTION]


class SessionRequest(Asked):
    id: Annotated[Name, Field(description="A session's id, or its beginning.")]
    agent: Annotated[Name | None, Field(description="Whose session, where two agents have the same id.")] = None
    chunk: Annotated[Name | None, Field(description="Begin where this chunk is among those shown.")] = None
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="So many chunks are passed over.")] = 0
    limit: Annotated[int, at_most(50, "chunks")] = 20


class ChunkRequest(Asked):
    id: Annotated[Name | None, Field(description="The chunk's id, such as claude:SESSION:003.")] = None
    path: Annotated[Name | None, Field(description="Or its path: absolute, or from store/ on.")] = None


class ContextRequest(Asked):
    id: Annotated[Name, Field(description="The chunk's id.")]
    around: Annotated[int, Field(ge=0, le=10, description="How many chunks to show before it, and how many after.")] = 1


class SearchRequest(SearchQuestion):
    q: Question
    group: Annotated[Literal["chunk", "session"], Field(description="An answer a chunk, or one a session.")] = "chunk"


class FuzzyRequest(FilteredQuestion):
    q: Question
    limit: Annotated[int, at_most(100, "answers")] = 20
    score: Annotated[int, Field(ge=0, le=100, description="Only answers with this score and more.")] = 0
    frame_kind: Annotated[
        Frame | None, Field(description="Only answers whose first matching line is in a message of this kind.")
    ] = None


class CrossRequest(FilteredQuestion):
    q: Question
    mode: Mode = "auto"
    limit: Annotated[int, at_most(50, "projects")] = 10
    each: Annotated[int, Field(ge=1, le=10, description="The most answers to return of each.")] = 3


class WhyRequest(Asked):
    target: Annotated[Name, Field(description=f"{TARGET}, or the first line of a commit's message.")]
    project: Annotated[
        Name | None,
        Field(description="The repository, as /api/overview names it; git is asked where it still is on this machine."),
    ] = None
    limit: Annotated[int, at_most(20, "sessions")] = 5
    team: Team = False


class SessionTimelineRequest(Asked):
    id: Annotated[Name, Field(description="A session's id, or its beginning.")]
    agent: Annotated[Name, Field(description="Whose session.")]


class RepositoryTimelineRequest(Asked):
    project: Annotated[
        Name | None, Field(description="The repository; without it the one that the server was started in.")
    ] = None


class MemoryRequest(Asked):
    project: Annotated[
        Name | None, Field(description="The repository; without it that of the server, else the one with most.")
    ] = None
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="So many candidates are passed over.")] = 0
    limit: Annotated[int, at_most(100, "candidates")] = 20


class WorkRequest(Asked):
    project: Annotated[
        Name | None, Field(description="The repository; without it that of the server, else one with open tasks.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="The most sessions to return, and the most contracts.")] = 20
    failures: Annotated[
        int, Field(ge=1, le=100, description="The most open failures to return, and the most resolved ones.")
    ] = 20


class DecisionRequest(Asked):
    """A person's decision about a record that they were shown."""

    action: Annotated[
        Literal["accept", "reject", "pin", "unpin", "supersede", "validate"],
        Field(description="What is decided; validate says that it still holds."),
    ]
    ref: Annotated[str, Field(pattern=r"^mem:[0-9a-f]{12}$", description="The record.")]
    rev: Annotated[int, Field(ge=1, le=1_000_000_000, description="Its revision as it was shown.")]
    digest: Annotated[
        str | None,
        Field(pattern=r"^[0-9a-f]{32}$", description="Its hash as it was shown; needed after an edit by hand."),
    ] = None
    by: Annotated[str, Field(min_length=1, max_length=80, description="The name of the person who decides.")]
    why: Annotated[str | None, Field(max_length=500, description="The reason, kept with the decision.")] = None
    other: Annotated[
        str | None, Field(pattern=r"^mem:[0-9a-f]{12}$", description="For supersede: the record that takes its place.")
    ] = None
    project: Annotated[Name | None, Field(description="The repository, as /api/memory names it.")] = None


class SteerRequest(SteerQuestion):
    q: Annotated[str | None, ABOUT] = None
