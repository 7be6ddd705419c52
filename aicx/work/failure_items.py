"""Failures as every door shows them: the classes of `aicx.work.failure_items`, made from patterns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from aicx.config import Settings
from aicx.errors import NotFound, UsageError
from aicx.fields import taken_from
from aicx.text import first_of
from aicx.values import dataclass
from aicx.work.failures import Pattern, Resolution, patterns
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
_SHORTEST = 4  # digits of a fingerprint


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


def patterns_at(
    settings: Settings, folder: Path | None, on_progress: Callable[[int, int], None]
) -> tuple[list[Pattern], list[str]]:
    """The failures of the repository that ``folder`` is in, or of all, the last reported first; and notes."""
    from aicx.work.facts_index import facts_at  # imported here: not needed for --help

    facts, notes = facts_at(settings, folder, on_progress)
    return patterns(facts), notes


def find_failure(settings: Settings, ref: str, on_progress: Callable[[int, int], None]) -> FailureAnswer:
    """The failure with an id, or the beginning of one. Raises NotFound, UsageError where several fit."""
    wanted = ref.removeprefix("failure:")
    if len(wanted) < _SHORTEST:
        raise UsageError(f"{ref!r} is too short for an id", hint=f"give at least {_SHORTEST} of its digits")
    found, notes = patterns_at(settings, None, on_progress)
    named = [one for one in found if one.last.fingerprint.startswith(wanted)]
    # One that came up and ended with another one is told with it.
    fitting = named or [one for one in found if any(mark.startswith(wanted) for mark in one.also)]
    if not fitting:
        raise NotFound(f"no failure {ref!r} is known", hint="aicx failures list --everywhere")
    if len(fitting) > 1:
        raise UsageError(f"{ref!r} fits {len(fitting)} failures", hint=", ".join(one.id for one in fitting[:5]))
    return FailureAnswer(item_of(fitting[0]), notes)


def told(one: Try, session: str = "") -> str:
    """What was done, in words. Where nothing is known of it, that the command passed in ``session``."""
    edits = f"edited {first_of(one.files, 3)}" if one.files else ""
    runs = f"ran {first_of((f'`{command}`' for command in one.commands), 3)}" if one.commands else ""
    nothing = "nothing was changed" if one.read_all else f"seen to pass in {session}"
    return "; ".join(filter(None, (edits, runs))) or nothing


def with_code(code: str | None, message: str) -> list[str]:
    """An error's code and message; the message alone where it says the code itself."""
    return [code, message] if code and not message.startswith(code) else [message]
