"""`aicx.refs/1`: the stored projects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from aicx.corpus.catalog.overview import ProjectSummary
from aicx.values import dataclass

SCHEMA = "aicx.refs/1"


@dataclass(frozen=True, slots=True)
class RefsAnswer:
    """The projects that have chunks within the filters."""

    projects: Annotated[Sequence[ProjectSummary], "most recently active first"]
    notes: Sequence[str]
