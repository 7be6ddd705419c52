"""The filters as parameters that pydantic checks: the same over MCP and HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from aicx.corpus.catalog.filters import parse_filters
from aicx.filters import FILTERS, MAX_COUNT, MAX_HOURS, NAMES, Filters

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
