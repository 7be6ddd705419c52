"""Counts what continuity did in a repository, with no claim of what it saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from aicx.config import Settings
from aicx.errors import NotFound
from aicx.resume.brief.json_brief import previous_answer
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.areas import areas
from aicx.work.attempts import attempts_in
from aicx.work.compliance import Result, results_of
from aicx.work.contract import ContractResult
from aicx.work.facts_index import facts_at
from aicx.work.failures import Pattern, patterns
from aicx.work.files import CLOSED, HANDOFFS, TASKS, read_all
from aicx.work.place import find_place

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


_TOP = 5
_MAX_LISTED = 200  # contracts


def usage(
    settings: Settings, folder: Path, now: datetime, progress: Callable[[int, int], None] | None = None
) -> UsageAnswer:
    """The figures of the repository that ``folder`` is in. Raises NotFound and UsageError for a folder that is none."""
    place = find_place(settings, folder)
    attempts = attempts_in(settings, place.folders)
    try:
        facts, notes = facts_at(settings, folder, progress)
    except NotFound:
        facts, notes = [], []
    tasks = [one for one in read_all(settings.layout, place.folders, (TASKS, CLOSED)).records if one.kind == "thread"]
    handoffs = read_all(settings.layout, place.folders, (HANDOFFS,)).records
    return UsageAnswer(
        generated_at=instant(now, "seconds"),
        root=str(place.root),
        sessions=SessionUsage(
            stored=len(facts),
            prepared=len(attempts),
            finalized=sum(one.attempt is not None and one.attempt.outcome is not None for one in attempts),
            succeeded=sum(one.attempt is not None and one.attempt.outcome == "success" for one in attempts),
            handoffs_stated=len(handoffs),
            handoffs_derived=sum(one.lane != "subagent" and not one.automated for one in facts),
        ),
        contracts=_contracts(results_of(settings, place, attempts)),
        failures=_failures(patterns(facts)),
        tasks=TaskUsage(total=len(tasks), by_status=dict(Counter(task.status for task in tasks))),
        areas=len(areas(facts)),
        notes=notes,
    )


def _contracts(found: Sequence[Result]) -> ContractUsage:
    scores = [one.compliance.score for one in found if one.compliance.score is not None]
    checks = [one.compliance.checks for one in found if one.compliance.score is not None]
    violations = Counter(finding.code for one in found for finding in one.compliance.violations)
    warnings = Counter(finding.code for one in found for finding in one.compliance.warnings)
    newest = sorted(found, key=lambda one: one.record.updated_at, reverse=True)
    return ContractUsage(
        given=sum(one.record.attempt is not None and one.record.attempt.contract is not None for one in found),
        results=dict(Counter(one.compliance.status for one in found)),
        mean_score=round(sum(scores) / len(scores), 4) if scores else None,
        rates={
            name: _share([value for check in checks if (value := getattr(check, name)) is not None])
            for name in ("followed_first_action", "edited_within_scope", "canonical_test_used", "finalize_used")
        },
        top_violations=dict(violations.most_common(_TOP)),
        top_warnings=dict(warnings.most_common(_TOP)),
        each=[one for one in map(previous_answer, newest) if one is not None][:_MAX_LISTED],
    )


def _share(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _failures(found: Sequence[Pattern]) -> FailureUsage:
    again = [one for one in found if len(one.sessions) > 1]
    return FailureUsage(
        patterns=len(found),
        open=sum(one.status == "open" for one in found),
        resolved=sum(one.status == "resolved" for one in found),
        seen_in_several_sessions=len(again),
        known_fix_used=sum(map(_fixed_alike, again)),
    )


def _fixed_alike(pattern: Pattern) -> bool:
    """Whether a failure that came back was resolved by editing a file that had resolved it before."""
    files = [set(one.by.files) for one in pattern.resolutions]
    return any(not later.isdisjoint(earlier) for later, earlier in pairwise(files))
