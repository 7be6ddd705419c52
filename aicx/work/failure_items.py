"""Failures as every door shows them: the classes of `aicx.work.failure_items`, made from patterns."""

from __future__ import annotations

from typing import Annotated

from aicx.fields import taken_from
from aicx.toolchains import ErrorEvent
from aicx.values import dataclass
from aicx.work.failures import Pattern

PARSE_SCHEMA = "aicx.failures-parse/1"
LIST_SCHEMA = "aicx.failures/1"
SCHEMA = "aicx.failure/1"


@dataclass(frozen=True, slots=True)
class TryItem:
    """What was changed and run between two runs of the failing command."""

    files: Annotated[list[str], "edited, from the repository's root"]
    commands: Annotated[list[str], "run besides checks"]
    at: Annotated[str, "when the command was run again"]
    ref: Annotated[str, "the chunk of that run"]
    read_all: Annotated[bool, "whether everything between was read, so that what is not listed was not done"]


@dataclass(frozen=True, slots=True)
class ResolutionItem:
    """A time when the failing command was seen to pass."""

    session: Annotated[str, "reference of the session"]
    command: Annotated[str, "what failed and then passed"]
    by: Annotated[TryItem, "what was done between"]


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
    resolutions: Annotated[list[ResolutionItem], "what resolved it, the latest first"]
    attempts: Annotated[list[TryItem], "what was tried without effect, the latest first"]


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


@dataclass(frozen=True, slots=True)
class ParseAnswer:
    """What the output says."""

    family: Annotated[
        str,
        "`python_test`, `python_types`, `python_lint`, `npm`, `typescript`, `eslint`, `js_test`, `go`, `rust`, `java`, "
        "`dotnet`, `c_cpp`, `ruby`, `php`, `generic`, or `none` for the output of no such tool",
    ]
    failed: Annotated[bool, "the command's true result, also where a pipe hides its exit code"]
    events: Annotated[list[ErrorEvent], "in the order of the output"]


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
        resolutions=[taken_from(one, ResolutionItem, by=taken_from(one.by, TryItem)) for one in pattern.resolutions],
        attempts=[taken_from(one, TryItem) for one in pattern.attempts],
    )
