"""`aicx.projects/1`: folders, the repository of each, and why."""

from __future__ import annotations

from typing import Annotated

from aicx.corpus.places.report import Place
from aicx.values import dataclass

SCHEMA = "aicx.projects/1"
DECISION_SCHEMA = "aicx.projects-decision/1"


@dataclass(frozen=True, slots=True)
class ProjectsAnswer:
    """Every folder, those with the most sessions first."""

    projects: Annotated[list[Place], "folders; with `--unknown` only those without a repository"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class DecisionAnswer:
    """What a decision by hand did."""

    moved: Annotated[int, "number of chunks that were moved"]
    notes: Annotated[list[str], "chunks that were left where they are, and why"]
