"""`aicx.projects/1`: folders, the repository of each, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from aicx.corpus.places.report import Place

SCHEMA = "aicx.projects/1"
DECISION_SCHEMA = "aicx.projects-decision/1"


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One kind of evidence for a repository, with the number of sessions that gave it."""

    kind: str
    repository: str
    sessions: int


@dataclass(frozen=True, slots=True)
class ProjectItem:
    """A folder where sessions worked; ``repository`` and ``source`` are null where it belongs to none."""

    folder: str
    repository: str | None
    source: str | None
    reason: str
    evidence: list[EvidenceItem]
    sessions: int


@dataclass(frozen=True, slots=True)
class ProjectsAnswer:
    """Every folder, those with the most sessions first."""

    projects: list[ProjectItem]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class DecisionAnswer:
    """What a decision by hand did: the chunks that it moved."""

    moved: int
    notes: list[str]


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
