"""The request model of each endpoint, from which its checks and its description are made."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from aicx.corpus.catalog.filters import parse_filters
from aicx.types import KINDS, Filters

_LONGEST = 1_000

Name = Annotated[str, Field(min_length=1, max_length=_LONGEST)]
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


class Asked(BaseModel):  # type: ignore[misc] # typed as Any, like every optional part
    """Nothing. What is not known is refused, so that a slip in a name is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Where(Asked):
    """Which chunks; every filter that is set has to hold."""

    project: Annotated[
        Name | None, Field(description="Repository (owner/repo, repo, owner/) or working folder; * and ? work.")
    ] = None
    agent: Annotated[Name | None, Field(description="One agent, such as claude, codex or gemini.")] = None
    kind: Annotated[Name | None, Field(description=f"One of {', '.join(KINDS)}.")] = None
    since: Annotated[Name | None, Field(description="From then on: 2026-01-31, yesterday, 36h, 7d, 2w.")] = None
    until: Annotated[Name | None, Field(description="Up to then, included; written as since.")] = None
    date: Annotated[
        Name | None, Field(description="A UTC day (2026-01-31), or a range of days (2026-01-01..2026-01-31).")
    ] = None
    branch: Annotated[Name | None, Field(description="Git branch; * works.")] = None
    file: Annotated[Name | None, Field(description="Sessions that touched a file; a part of its path does.")] = None
    session: Annotated[Name | None, Field(description="A session, or the beginning of its id.")] = None
    run_id: Annotated[Name | None, Field(description="Exactly this run id.")] = None
    prompt_id: Annotated[Name | None, Field(description="Exactly this prompt id.")] = None

    def filters(self, now: datetime) -> Filters:
        """As the corpus understands them. Raises UsageError for what is no point in time."""
        return parse_filters(
            now,
            since=self.since,
            until=self.until,
            date=self.date,
            project=self.project,
            agent=self.agent,
            kind=self.kind,
            session=self.session,
            run_id=self.run_id,
            prompt_id=self.prompt_id,
            branch=self.branch,
            file=self.file,
        )


class Browse(Where):
    sort: Annotated[Literal["newest", "oldest", "size"], Field(description="Which sessions come first.")] = "newest"
    limit: Annotated[int, Field(ge=1, le=200, description="At most so many sessions.")] = 50
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="So many sessions are passed over.")] = 0


class Detail(Asked):
    id: Annotated[Name, Field(description="A session's id, or its beginning.")]
    agent: Annotated[Name | None, Field(description="Whose session, where two agents have the same id.")] = None
    chunk: Annotated[Name | None, Field(description="Begin where this chunk is among those shown.")] = None
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="So many chunks are passed over.")] = 0
    limit: Annotated[int, Field(ge=1, le=50, description="At most so many chunks.")] = 20


class WholeChunk(Asked):
    id: Annotated[Name | None, Field(description="The chunk's id, such as claude:SESSION:003.")] = None
    path: Annotated[Name | None, Field(description="Or its path: absolute, or from store/ on.")] = None


class Context(Asked):
    id: Annotated[Name, Field(description="The chunk's id.")]
    around: Annotated[int, Field(ge=0, le=10, description="So many chunks before it, and so many after.")] = 1


class Search(Where):
    q: Question
    mode: ModeOption = "auto"
    limit: Annotated[int, Field(ge=1, le=100, description="At most so many answers.")] = 10
    sort: Annotated[Literal["relevance", "newest", "oldest"], Field(description="The order of the answers.")] = (
        "relevance"
    )
    decay: Annotated[Literal["off", "gentle", "strong"], Field(description="How much to prefer what is recent.")] = (
        "off"
    )
    group: Annotated[Literal["chunk", "session"], Field(description="An answer a chunk, or one a session.")] = "chunk"
    exclude_session: Annotated[Name | None, Field(description="Leave out one session by its whole id.")] = None


class Fuzzy(Where):
    q: Question
    limit: Annotated[int, Field(ge=1, le=100, description="At most so many answers.")] = 20
    score: Annotated[int, Field(ge=0, le=100, description="Only answers with this score and more.")] = 0
    frame_kind: Annotated[
        Literal["user_msg", "agent_reply", "internal_thought", "tool_call"] | None,
        Field(description="Only answers whose first matching line is in a message of this kind."),
    ] = None


class Cross(Where):
    q: Question
    mode: ModeOption = "auto"
    limit: Annotated[int, Field(ge=1, le=50, description="At most so many projects.")] = 10
    each: Annotated[int, Field(ge=1, le=10, description="At most so many answers of each.")] = 3


class Steer(Where):
    limit: Annotated[int, Field(ge=1, le=100, description="At most so many chunks.")] = 20
