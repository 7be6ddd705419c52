"""`aicx.refs/1`: the stored projects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aicx.corpus.catalog.overview import ProjectSummary

SCHEMA = "aicx.refs/1"


@dataclass(frozen=True, slots=True)
class RefsAnswer:
    """The projects that have chunks within the filters, most recently active first."""

    projects: Sequence[ProjectSummary]
    notes: Sequence[str]
