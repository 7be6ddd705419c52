"""`aicx.projects/1`: folders, the repository of each, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from aicx.corpus.places.report import Place

SCHEMA = "aicx.projects/1"
DECISION_SCHEMA = "aicx.projects-decision/1"


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One kind of evidence for a repository."""

    kind: Annotated[str, "what points to the repository"]
    repository: Annotated[str, "where it points"]
    sessions: Annotated[int, "number of sessions that gave it"]


@dataclass(frozen=True, slots=True)
class ProjectItem:
    """A folder where sessions worked, and the repository of it."""

    folder: Annotated[str, "where sessions worked"]
    repository: Annotated[str | None, "null where it belongs to none"]
    source: Annotated[str | None, "as `repo_source` in [sidecars](on-disk-format.md), or null"]
    reason: Annotated[str, "in a sentence"]
    evidence: Annotated[list[EvidenceItem], "what points to which repository"]
    sessions: int


@dataclass(frozen=True, slots=True)
class ProjectsAnswer:
    """Every folder, those with the most sessions first."""

    projects: Annotated[list[ProjectItem], "folders; with `--unknown` only those without a repository"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class DecisionAnswer:
    """What a decision by hand did."""

    moved: Annotated[int, "number of chunks that were moved"]
    notes: Annotated[list[str], "chunks that were left where they are, and why"]


def projects_answer(places: Iterable[Place], notes: list[str]) -> ProjectsAnswer:
    items = [
        ProjectItem(
            place.folder,
            place.repository,
            place.source,
            place.reason,
            [EvidenceItem(one.kind, one.repository, one.sessions) for one in place.evidence],
            place.sessions,
        )
        for place in places
    ]
    return ProjectsAnswer(items, notes)
