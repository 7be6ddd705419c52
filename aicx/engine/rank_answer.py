"""`aicx.rank/1`: chunks of a project by how much of them is worth reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from aicx.engine.steer_answer import SteerStatus
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.corpus.views.rank import RankedChunks

SCHEMA = "aicx.rank/1"


@dataclass(frozen=True, slots=True)
class RankItem:
    """A chunk with its score, its lines by sort, and those that say most."""

    file: Annotated[str, "the chunk's absolute path"]
    id: str
    session_id: str
    title: str | None
    chunk_title: str | None
    project: str
    date: str
    timestamp: Annotated[str, "time of the first message"]
    kind: str
    agent: str
    score: Annotated[float, "0 to 10"]
    label: str
    signal: Annotated[int, "lines worth reading, without tool text"]
    noise: Annotated[int, "other lines, without tool text"]
    total: Annotated[int, "lines without tool text"]
    density: Annotated[str, "the share of `signal`, such as `56%`"]
    sentences: Annotated[list[str], "up to three sentences that make lines `signal`, those that weigh most first"]
    altered: bool
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]


@dataclass(frozen=True, slots=True)
class RankAnswer:
    """The best chunks of a project."""

    project: Annotated[str, "the filter used"]
    hours: Annotated[float, "the filter used; 0 means all time"]
    strict: Annotated[bool, "the filter used"]
    results: int
    items: Annotated[list[RankItem], "highest score first"]
    notes: list[str]
    oracle_status: SteerStatus


def rank_answer(ranked: RankedChunks, project: str, hours: float, strict: bool) -> RankAnswer:
    items = [RankItem(**item) for item in ranked.items]
    return RankAnswer(project, hours, strict, len(items), items, ranked.notes, SteerStatus(**ranked.oracle_status))
