"""`aicx.usage/1`: what continuity did in a repository."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated

from aicx.api.answers.contract import ContractResult
from aicx.values import dataclass

SCHEMA = "aicx.usage/1"


@dataclass(frozen=True, slots=True)
class SessionUsage:
    """Sessions of the repository."""

    stored: Annotated[int, "sessions in the corpus"]
    prepared: Annotated[int, "sessions that began with a brief and a contract"]
    finalized: Annotated[int, "those whose end somebody reported"]
    succeeded: Annotated[int, "those that were reported as a success"]
    handoffs_stated: Annotated[int, "handoffs that somebody stated"]
    handoffs_derived: Annotated[int, "sessions whose log says what they left"]


@dataclass(frozen=True, slots=True)
class ContractUsage:
    """Contracts and how they were kept."""

    given: Annotated[int, "sessions with a contract"]
    results: Annotated[dict[str, int], "status → sessions"]
    mean_score: Annotated[float | None, "of those that were evaluated"]
    rates: Annotated[dict[str, float | None], "check → share of those where it could be told; null for none"]
    top_violations: Annotated[dict[str, int], "code → sessions"]
    top_warnings: Annotated[dict[str, int], "code → sessions"]
    each: Annotated[list[ContractResult], "every result, the newest first, 200 at most"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FailureUsage:
    """Failures that tools reported."""

    patterns: Annotated[int, "different mistakes"]
    open: Annotated[int, "not resolved since"]
    resolved: Annotated[int, "whose command passed since"]
    seen_in_several_sessions: Annotated[int, "mistakes that came back"]
    known_fix_used: Annotated[int, "of these, resolved by editing a file that had resolved it before"]


@dataclass(frozen=True, slots=True)
class TaskUsage:
    """Tasks that somebody began."""

    total: Annotated[int, "number of tasks"]
    by_status: Annotated[dict[str, int], "status → tasks"]


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """Counts alone: what would have happened otherwise is not known."""

    generated_at: str
    root: Annotated[str, "the repository's folder"]
    sessions: SessionUsage
    contracts: Annotated[ContractUsage, "contracts and how they were kept"]
    failures: Annotated[FailureUsage, "failures that tools reported"]
    tasks: Annotated[TaskUsage, "tasks that somebody began"]
    areas: Annotated[int, "parts of the repository that sessions edited"]
    notes: list[str]
