"""The request model of each endpoint, from which its checks and its description are made."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from aicx.engine.search import MAX_RERANKED, RERANKED
from aicx.filters import Filters
from aicx.servers.filters import PARAMETERS, Name, filters_of
from aicx.types import Frame

Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=10_000,
        description="A question in plain words, an identifier, a path, an error code, or a quoted phrase.",
    ),
]
Mode = Literal["auto", "hybrid", "lexical", "dense", "scan"]
ModeOption = Annotated[Mode, Field(description="auto uses what exists and says so; scan reads everything and is slow.")]


class EndpointRequest(BaseModel):  # type: ignore[misc] # typed as Any, like every optional part
    """Nothing. What is not known is refused, so that a slip in a name is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_Filters: Any = create_model(
    "Filters", __base__=EndpointRequest, **{name: (kind, None) for name, kind in PARAMETERS.items()}
)


class FilteredRequest(_Filters):  # type: ignore[misc] # made of the table of filters, and so Any
    """Which chunks; every filter that is set has to hold."""

    def filters(self, now: datetime) -> Filters:
        """As the corpus understands them. Raises UsageError for a value that is not understood."""
        return filters_of(self, now)


class BrowseRequest(FilteredRequest):
    sort: Annotated[Literal["newest", "oldest", "size"], Field(description="Which sessions come first.")] = "newest"
    limit: Annotated[int, Field(ge=1, le=200, description="The most sessions to return.")] = 50
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="So many sessions are passed over.")] = 0


class SessionRequest(EndpointRequest):
    id: Annotated[Name, Field(description="A session's id, or its beginning.")]
    agent: Annotated[Name | None, Field(description="Whose session, where two agents have the same id.")] = None
    chunk: Annotated[Name | None, Field(description="Begin where this chunk is among those shown.")] = None
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="So many chunks are passed over.")] = 0
    limit: Annotated[int, Field(ge=1, le=50, description="The most chunks to return.")] = 20


class ChunkRequest(EndpointRequest):
    id: Annotated[Name | None, Field(description="The chunk's id, such as claude:SESSION:003.")] = None
    path: Annotated[Name | None, Field(description="Or its path: absolute, or from store/ on.")] = None


class ContextRequest(EndpointRequest):
    id: Annotated[Name, Field(description="The chunk's id.")]
    around: Annotated[int, Field(ge=0, le=10, description="How many chunks to show before it, and how many after.")] = 1


class SearchRequest(FilteredRequest):
    q: Question
    mode: ModeOption = "auto"
    limit: Annotated[int, Field(ge=1, le=100, description="The most answers to return.")] = 10
    sort: Annotated[Literal["relevance", "newest", "oldest"], Field(description="The order of the answers.")] = (
        "relevance"
    )
    decay: Annotated[Literal["off", "gentle", "strong"], Field(description="How much to prefer what is recent.")] = (
        "off"
    )
    group: Annotated[Literal["chunk", "session"], Field(description="An answer a chunk, or one a session.")] = "chunk"
    min_score: Annotated[
        float, Field(ge=0, le=10, description="Only chunks of this density or more, from 0 to 10.")
    ] = 0
    rerank: Annotated[
        int, Field(ge=0, le=MAX_RERANKED, description="Best answers to compare token by token; 0 for none.")
    ] = RERANKED


class FuzzyRequest(FilteredRequest):
    q: Question
    limit: Annotated[int, Field(ge=1, le=100, description="The most answers to return.")] = 20
    score: Annotated[int, Field(ge=0, le=100, description="Only answers with this score and more.")] = 0
    frame_kind: Annotated[
        Frame | None,
        Field(description="Only answers whose first matching line is in a message of this kind."),
    ] = None


class CrossRequest(FilteredRequest):
    q: Question
    mode: ModeOption = "auto"
    limit: Annotated[int, Field(ge=1, le=50, description="The most projects to return.")] = 10
    each: Annotated[int, Field(ge=1, le=10, description="The most answers to return of each.")] = 3


class WhyRequest(EndpointRequest):
    target: Annotated[
        Name,
        Field(
            description="A commit, FILE, FILE:LINE, FILE:10-30, a tag, a range A..B, #12 (pull request or issue), or"
            " the first line of a commit's message."
        ),
    ]
    project: Annotated[
        Name | None,
        Field(description="The repository, as /api/overview names it; git is asked where it still is on this machine."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=20, description="The most sessions to return.")] = 5


class MemoryRequest(EndpointRequest):
    project: Annotated[Name | None, Field(description="The repository; without it the one with the most records.")] = (
        None
    )
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="So many candidates are passed over.")] = 0
    limit: Annotated[int, Field(ge=1, le=100, description="The most candidates to return.")] = 20


class WorkRequest(EndpointRequest):
    project: Annotated[
        Name | None,
        Field(description="The repository; without it one with open tasks, else the one that was worked in last."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="The most sessions to return, and the most contracts.")] = 20
    failures: Annotated[
        int, Field(ge=1, le=100, description="The most open failures to return, and the most resolved ones.")
    ] = 20


class DecisionRequest(EndpointRequest):
    """What a person decided about a record that they were shown."""

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


class SteerRequest(FilteredRequest):
    q: Annotated[
        str | None,
        Field(max_length=10_000, description="What the chunks are about, in plain words; without it, newest first."),
    ] = None
    decay: Annotated[
        Literal["off", "gentle", "strong"], Field(description="With a question, how much to prefer what is recent.")
    ] = "gentle"
    limit: Annotated[int, Field(ge=1, le=100, description="The most chunks to return.")] = 20
