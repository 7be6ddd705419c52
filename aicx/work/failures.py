"""Failures as they recur: the same mistake over all sessions of a repository, what resolved it, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from aicx.config import Settings
from aicx.errors import NotFound, UsageError
from aicx.evidence.fixes import repeats
from aicx.evidence.since import same_place
from aicx.fields import taken_from
from aicx.shell import simple_commands
from aicx.text import first_of
from aicx.values import dataclass
from aicx.work.session_facts import Failure, Ran, SessionFacts, Try

_MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Resolution:
    """A time when the failing command was seen to pass."""

    session: Annotated[str, "reference of the session"]
    command: Annotated[str, "what failed and then passed"]
    by: Annotated[Try, "what was done between"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A mistake and everything known of it. ``last`` is how it was reported last.

    ``status`` is open where its session ended with it and no later one in the same place is known to have gone on.
    ``resolutions`` and ``attempts``, what was tried without effect, begin with the latest.
    """

    last: Failure
    status: Literal["open", "resolved"]
    occurrences: int
    sessions: tuple[str, ...]
    first_at: str
    resolutions: tuple[Resolution, ...]
    attempts: tuple[Try, ...]
    also: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        return f"failure:{self.last.fingerprint}"

    @property
    def fingerprints(self) -> frozenset[str]:
        """Its own, and those of the mistakes that came up and ended with it."""
        return self.also | {self.last.fingerprint}

    @property
    def helped(self) -> Resolution | None:
        """The last resolution, of those times when something was changed or run for it."""
        return next((one for one in self.resolutions if one.by.files or one.by.commands), None)


def patterns(sessions: Iterable[SessionFacts]) -> list[Pattern]:
    """The mistakes that the sessions report, each once, the last reported first.

    One is left out where nothing is known of its end but that it is over, or not even that.
    """
    sessions = list(sessions)
    passed = _Passed(sessions)
    found: dict[str, list[_Seen]] = {}
    for facts in sessions:
        for failure in facts.failures:
            seen = _Seen(facts.ref, failure)
            if failure.resolved is None and (later := passed.after(failure, facts)) is not None:
                seen = _Seen(facts.ref, replace(failure, resolved=later[1]), later[0])
            if seen.failure.resolved is not None or (facts.still_fails(failure) and not passed.went_on(failure, facts)):
                found.setdefault(failure.fingerprint, []).append(seen)
    every = [_pattern(seen) for seen in found.values() if any(map(_teaches, seen)) or _comes_and_goes(seen)]
    return sorted(every, key=lambda one: (one.last.last_at, one.id), reverse=True)


class _Seen(NamedTuple):
    """A failure in a session, and the other session that saw its command pass, where another one did."""

    session: str
    failure: Failure
    passed_in: str | None = None


class _Passed:
    """The tests that passed in sessions: what one saw fail another may have seen pass later."""

    def __init__(self, sessions: Sequence[SessionFacts]) -> None:
        self._sessions = sessions
        self._runs: dict[str, list[tuple[SessionFacts, Ran]]] = {}
        for facts in sessions:
            for run in facts.tests:
                if run.passed:
                    self._runs.setdefault(run.command, []).append((facts, run))

    def after(self, failure: Failure, seen_by: SessionFacts) -> tuple[str, Try] | None:
        """The first later run in the same place of the check that failed, or of more of it, and its session.

        What was changed for it in between is not known. None where there was no such run.
        """
        failed = simple_commands(failure.command)
        if not failed:
            return None
        program = failure.command.split(maxsplit=1)[0]
        later = [
            (facts.ref, Try((), (), run.at, run.ref))
            for command, runs in self._runs.items()
            if command.startswith(program) and any(repeats(part, failed[-1]) for part in simple_commands(command))
            for facts, run in runs
            if run.at > failure.last_at and _same_place(seen_by, facts)
        ]
        return min(later, key=lambda one: one[1].at, default=None)

    def went_on(self, failure: Failure, seen_by: SessionFacts) -> bool:
        """Whether a later session in the same place committed, or saw any tests pass."""
        return any(
            facts.ref != seen_by.ref
            and _same_place(seen_by, facts)
            and (
                any(one.at > failure.last_at for one in facts.commits)
                or any(run.at > failure.last_at for run in facts.tests if run.passed)
            )
            for facts in self._sessions
        )


def _same_place(one: SessionFacts, other: SessionFacts) -> bool:
    """Whether two sessions worked in one place of one repository: every repository has a branch ``main``."""
    here = same_place((one.branch, one.folder), (other.branch, other.folder))
    return one.project == other.project and here


def _teaches(seen: _Seen) -> bool:
    """Whether a failure is open, or it is known what ended it."""
    end = seen.failure.resolved
    return end is None or bool(end.files or end.commands)


def _comes_and_goes(seen: Sequence[_Seen]) -> bool:
    """Whether a test failed and passed again without a change in several sessions: once may be anything."""
    ends = [one.failure.resolved for one in seen if one.failure.test]
    return len({one.session for one in seen}) > 1 and any(end is not None and end.read_all for end in ends)


def seen_before(known: Iterable[Pattern], fingerprints: Iterable[str]) -> list[Pattern]:
    """The patterns of these fingerprints that were resolved once, so that something is known to help."""
    wanted = set(fingerprints)
    return [one for one in known if wanted & one.fingerprints and one.helped is not None]


def _pattern(seen: Sequence[_Seen]) -> Pattern:
    newest_first = sorted(seen, key=lambda one: (one.failure.last_at, one.session), reverse=True)
    last = newest_first[0].failure
    attempts = [attempt for one in newest_first for attempt in reversed(one.failure.attempts)]
    return Pattern(
        last=last,
        status="open" if last.resolved is None else "resolved",
        occurrences=sum(one.failure.count for one in seen),
        sessions=tuple(dict.fromkeys(one.session for one in newest_first)),
        first_at=min(one.failure.first_at for one in seen),
        resolutions=tuple(
            Resolution(one.passed_in or one.session, one.failure.command, one.failure.resolved)
            for one in newest_first
            if one.failure.resolved
        ),
        attempts=tuple(attempts[:_MAX_ATTEMPTS]),
        also=frozenset(mark for one in seen for mark in one.failure.also),
    )


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
    """Returns what was done, in words. Where nothing is known of it, that the command passed in ``session``."""
    edits = f"edited {first_of(one.files, 3)}" if one.files else ""
    runs = f"ran {first_of((f'`{command}`' for command in one.commands), 3)}" if one.commands else ""
    nothing = "nothing was changed" if one.read_all else f"seen to pass in {session}"
    return "; ".join(filter(None, (edits, runs))) or nothing


def with_code(code: str | None, message: str) -> list[str]:
    """An error's code and message; the message alone where it says the code itself."""
    return [code, message] if code and not message.startswith(code) else [message]
