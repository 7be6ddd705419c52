"""The question of `aicx steer TEXT`: that of a search, whose answers are chunks and of which recent ones count more."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.dates import lift_dates
from aicx.engine.stages.state import SearchQuery
from aicx.filters import Filters
from retrieval.decay import parse_decay
from retrieval.questions import parse_question

if TYPE_CHECKING:
    from aicx.engine.team import Team

DECAY = "gentle"


def steer_query(
    text: str,
    now: datetime,
    filters: Filters,
    limit: int,
    decay: str = DECAY,
    place: Path | None = None,
    team: Team | None = None,
) -> SearchQuery:
    """Raises UsageError for a decay that is none. A text that is only a date lists the newest, as without a text."""
    dated = lift_dates(text) if filters.date is None else None
    only_date = dated is not None and dated.days is not None and parse_question(dated.text).empty
    return SearchQuery(
        text=text,
        now=now,
        filters=filters,
        limit=limit,
        sort="newest" if only_date else "relevance",
        decay=parse_decay(decay),
        place=place,
        team=team,
    )
