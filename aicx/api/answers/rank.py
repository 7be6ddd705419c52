"""`aicx.rank/1`: chunks of a project by how much of them is worth reading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aicx.api.answers.steer import SteerStatus

if TYPE_CHECKING:
    from aicx.corpus.views.rank import RankedChunks

SCHEMA = "aicx.rank/1"


@dataclass(frozen=True, slots=True)
class RankItem:
    """A chunk with its score from 0 to 10, its lines by sort, and those that say most. ``title`` is its session's."""

    file: str
    id: str
    session_id: str
    title: str | None
    chunk_title: str | None
    project: str
    date: str
    timestamp: str
    kind: str
    agent: str
    score: float
    label: str
    signal: int
    noise: int
    total: int
    density: str
    sentences: list[str]
    altered: bool
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]


@dataclass(frozen=True, slots=True)
class RankAnswer:
    """The best chunks of a project, best first. ``hours`` 0 is all time."""

    project: str
    hours: float
    strict: bool
    results: int
    items: list[RankItem]
    notes: list[str]
    oracle_status: SteerStatus


def rank_answer(ranked: RankedChunks, project: str, hours: float, strict: bool) -> RankAnswer:
    items = [RankItem(**item) for item in ranked.items]
    return RankAnswer(project, hours, strict, len(items), items, ranked.notes, SteerStatus(**ranked.oracle_status))
