"""Failures as every door shows them: the classes of `aicx.work.failure_items`, made from patterns."""

from __future__ import annotations

from typing import Annotated

from aicx.fields import taken_from
from aicx.values import dataclass
from aicx.work.failures import Pattern, Resolution
from aicx.work.session_facts import Try

PARSE_SCHEMA = "aicx.failures-parse/1"
LIST_SCHEMA = "aicx.failures/1"
SCHEMA = "aicx.failure/1"


@dataclass(frozen=True, slots=True)
class FailureItem:
    """A mistake, recognised by its fingerprint wherever it was reported."""

    id: Annotated[str, "`failure:` and the fingerprint"]
    fingerprint: Annotated[str, "the same after lines moved, times and addresses changed"]
    status: Annotated[str, "`open`, or `resolved`: its command passed after it was reported last"]
    family: Annotated[str, "of the tool, as `failures parse` names it"]
    toolchain: Annotated[str, "the tool"]
    phase: Annotated[str, "such as `test`, `type`, `build`"]
    message: Annotated[str, "as it was reported last"]
    code: Annotated[str | None, "of the error, as the tool names it"]
    file: Annotated[str | None, "from the repository's root"]
    line: Annotated[int | None, "from 1"]
    test: Annotated[str | None, "the failing test"]
    command: Annotated[str, "that failed last"]
    exit_code: Annotated[int | None, "of the command"]
    occurrences: Annotated[int, "runs that reported it"]
    sessions: Annotated[list[str], "references of the sessions, the latest first"]
    first_at: Annotated[str, "when it was reported first"]
    last_at: Annotated[str, "when it was reported last"]
    last_ref: Annotated[str, "the chunk of the last report"]
    resolutions: Annotated[tuple[Resolution, ...], "what resolved it, the latest first"]
    attempts: Annotated[tuple[Try, ...], "what was tried without effect, the latest first"]


@dataclass(frozen=True, slots=True)
class FailuresAnswer:
    """The failures of a repository, the last reported first."""

    results: Annotated[int, "number listed"]
    matched: Annotated[int, "number there are"]
    items: Annotated[list[FailureItem], "the last reported of them"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class FailureAnswer:
    """One failure."""

    failure: Annotated[FailureItem, "the one that was asked for"]
    notes: list[str]


_SHOWN_SESSIONS = 20


def item_of(pattern: Pattern) -> FailureItem:
    return taken_from(
        pattern.last,
        FailureItem,
        id=pattern.id,
        status=pattern.status,
        occurrences=pattern.occurrences,
        sessions=list(pattern.sessions[:_SHOWN_SESSIONS]),
        first_at=pattern.first_at,
        last_ref=pattern.last.ref,
        resolutions=pattern.resolutions,
        attempts=pattern.attempts,
    )
