"""`aicx.usage/1`: what continuity did in a repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

SCHEMA = "aicx.usage/1"


@dataclass(frozen=True, slots=True)
class SessionUsage:
    """Sessions of the repository."""

    stored: int
    prepared: Annotated[int, "sessions that began with a brief and a contract"]
    finalized: Annotated[int, "those whose end somebody reported"]
    succeeded: Annotated[int, "those that were reported as a success"]
    handoffs_stated: int
    handoffs_derived: Annotated[int, "sessions whose log says what they left"]


@dataclass(frozen=True, slots=True)
class ContractUsage:
    """Contracts and how they were kept."""

    given: int
    results: Annotated[dict[str, int], "status → sessions"]
    mean_score: Annotated[float | None, "of those that were evaluated"]
    rates: Annotated[dict[str, float | None], "check → share of those where it could be told; null for none"]
    top_violations: Annotated[dict[str, int], "code → sessions"]
    top_warnings: Annotated[dict[str, int], "code → sessions"]


@dataclass(frozen=True, slots=True)
class FailureUsage:
    """Failures that tools reported."""

    patterns: Annotated[int, "different mistakes"]
    open: int
    resolved: int
    seen_in_several_sessions: int
    known_fix_used: Annotated[int, "of these, resolved by editing a file that had resolved it before"]


@dataclass(frozen=True, slots=True)
class TaskUsage:
    """Tasks that somebody began."""

    total: int
    by_status: dict[str, int]


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """Counts alone: what would have happened otherwise is not known."""

    generated_at: str
    root: Annotated[str, "the repository's folder"]
    sessions: SessionUsage
    contracts: ContractUsage
    failures: FailureUsage
    tasks: TaskUsage
    areas: Annotated[int, "parts of the repository that sessions edited"]
    notes: list[str]
