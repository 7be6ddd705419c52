"""The questions that programs ask, each declared once: MCP's tools and HTTP's endpoints are made from them.

A parameter is declared here with its type, default and words. A door adds only what is its own: the tools their
absolute folder, the endpoints their paging.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from aicx.corpus.catalog.filters import parse_filters
from aicx.engine.search import MAX_RERANKED, RERANKED, SearchQuery
from aicx.engine.stages import Team as Share
from aicx.engine.stages import steer_query
from aicx.filters import FILTERS, MAX_COUNT, MAX_HOURS, NAMES, Filters
from retrieval.decay import PROFILES

_MAX_CHARS = 1_000
_MAX_VALUES = 50

Name = Annotated[str, Field(min_length=1, max_length=_MAX_CHARS)]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


# A list by its schema, since some clients do not know alternatives; one text is taken for a list of one.
Names = Annotated[list[Name], Field(max_length=_MAX_VALUES), BeforeValidator(_listed)]
_TYPES: Mapping[str, Any] = {
    "text": Names,
    "hours": Annotated[float, Field(ge=0, le=MAX_HOURS)],
    "least": Annotated[int, Field(ge=0, le=MAX_COUNT)],
    "flag": bool,
}
PARAMETERS: Mapping[str, Any] = {
    row.name: Annotated[_TYPES.get(row.value, Name) | None, Field(description=row.help)] for row in FILTERS
}


def filters_of(asked: object, now: datetime) -> Filters:
    """The filters among what was asked. Raises UsageError for a value that is not understood."""
    return parse_filters(now, **{name: getattr(asked, name) for name in NAMES})


QUESTION = Field(
    min_length=1,
    max_length=10_000,
    description="A question in plain words, an identifier, a path, an error code, or a quoted phrase.",
)
ABOUT = Field(max_length=10_000, description="What the chunks are about, in plain words; without it, newest first.")
TARGET = "A commit, FILE, FILE:LINE, FILE:10-30, a tag, a range A..B, or #12 (pull request or issue)"

Mode = Annotated[
    Literal["auto", "hybrid", "lexical", "dense", "scan"],
    Field(description="auto uses what exists and says so; scan reads everything and is slow."),
]
DecayProfile = Annotated[Literal["off", "gentle", "strong"], Field(description="How much to prefer what is recent.")]

Team = Annotated[bool, Field(description="Also ask the share that this home is part of; each answer names its member.")]


def at_most(most: int, things: str) -> Any:
    """How many of some things an answer may have."""
    return Field(ge=1, le=most, description=f"The most {things} to return.")


class Asked(BaseModel):  # type: ignore[misc] # typed as Any, like every optional part
    """Nothing. What is not known is refused, so that a slip in a name is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_Filtered: Any = create_model("Filters", __base__=Asked, **{name: (kind, None) for name, kind in PARAMETERS.items()})


class FilteredQuestion(_Filtered):  # type: ignore[misc] # made of the table of filters, and so Any
    """Which chunks; every filter that is set has to hold."""

    def filters(self, now: datetime) -> Filters:
        """As the corpus understands them. Raises UsageError for a value that is not understood."""
        return filters_of(self, now)


class SearchQuestion(FilteredQuestion):
    """How passages are looked for; the text of the question has a name of its own at each door."""

    limit: Annotated[int, at_most(100, "answers")] = 10
    mode: Mode = "auto"
    sort: Annotated[Literal["relevance", "newest", "oldest"], Field(description="The order of the answers.")] = (
        "relevance"
    )
    decay: DecayProfile = "off"
    min_score: Annotated[
        float, Field(ge=0, le=10, description="Only chunks of this density or more, from 0 to 10.")
    ] = 0
    rerank: Annotated[
        int, Field(ge=0, le=MAX_RERANKED, description="Best answers to compare token by token; 0 for none.")
    ] = RERANKED
    team: Team = False

    def search_query(
        self,
        text: str,
        now: datetime,
        group: Literal["chunk", "session"],
        place: Path | None = None,
        *,
        fold: bool = False,
        limit: int | None = None,
        share: Share | None = None,
    ) -> SearchQuery:
        """The question to the engine; a ``limit`` counts in place of its own."""
        return SearchQuery(
            text=text,
            now=now,
            filters=self.filters(now),
            mode=self.mode,
            group=group,
            fold=fold,
            limit=limit or self.limit,
            sort=self.sort,
            decay=PROFILES[self.decay],
            min_score=self.min_score,
            place=place,
            rerank=self.rerank,
            team=share,
        )


class SteerQuestion(FilteredQuestion):
    """Chunks by what is known of them, and by what they are about where that is asked."""

    limit: Annotated[int, at_most(100, "chunks")] = 20
    decay: DecayProfile = "gentle"
    team: Team = False

    def steer_query(
        self, text: str | None, now: datetime, place: Path | None = None, share: Share | None = None
    ) -> SearchQuery | None:
        """The question to the engine; None where only facts are asked for."""
        if not text or not text.strip():
            return None
        return steer_query(text, now, self.filters(now), self.limit, self.decay, place, share)


class SessionsQuestion(FilteredQuestion):
    """Which sessions, in which order."""

    sort: Annotated[
        Literal["newest", "oldest", "size"], Field(description="The order of sessions; size is the number of chunks.")
    ] = "newest"
    limit: Annotated[int, at_most(200, "sessions")] = 50
    offset: Annotated[int, Field(ge=0, le=1_000_000_000, description="How many to skip.")] = 0
