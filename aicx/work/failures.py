"""Failures as they recur: the same mistake over all sessions of a repository, and what resolved it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from aicx.work.session_facts import Failure, SessionFacts, Try

_MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Resolution:
    """What was done in a session before the failing command passed."""

    session: str
    command: str
    by: Try


@dataclass(frozen=True, slots=True)
class Pattern:
    """A mistake and everything known of it. ``last`` is how it was reported last.

    ``status`` is open where it was not resolved after it was reported last. ``resolutions`` and ``attempts``, what was
    tried without effect, begin with the latest.
    """

    last: Failure
    status: Literal["open", "resolved"]
    occurrences: int
    sessions: tuple[str, ...]
    first_at: str
    resolutions: tuple[Resolution, ...]
    attempts: tuple[Try, ...]

    @property
    def id(self) -> str:
        return f"failure:{self.last.fingerprint}"

    @property
    def helped(self) -> Resolution | None:
        """What resolved it last, of those times when something was changed or run for it."""
        return next((one for one in self.resolutions if one.by.files or one.by.commands), None)


def patterns(sessions: Iterable[SessionFacts]) -> list[Pattern]:
    """The mistakes that the sessions report, each once, the last reported first."""
    found: dict[str, list[tuple[str, Failure]]] = {}
    for facts in sessions:
        session = facts.ref
        for failure in facts.failures:
            found.setdefault(failure.fingerprint, []).append((session, failure))
    return sorted(map(_pattern, found.values()), key=lambda one: (one.last.last_at, one.id), reverse=True)


def seen_before(known: Iterable[Pattern], fingerprints: Iterable[str]) -> list[Pattern]:
    """The patterns of these fingerprints that were resolved once, so that something is known to help."""
    wanted = set(fingerprints)
    return [one for one in known if one.last.fingerprint in wanted and one.helped is not None]


def _pattern(seen: Sequence[tuple[str, Failure]]) -> Pattern:
    newest_first = sorted(seen, key=lambda one: (one[1].last_at, one[0]), reverse=True)
    last = newest_first[0][1]
    attempts = [attempt for _, failure in newest_first for attempt in reversed(failure.attempts)]
    return Pattern(
        last=last,
        status="open" if last.resolved is None else "resolved",
        occurrences=sum(failure.count for _, failure in seen),
        sessions=tuple(dict.fromkeys(session for session, _ in newest_first)),
        first_at=min(failure.first_at for _, failure in seen),
        resolutions=tuple(
            Resolution(session, failure.command, failure.resolved)
            for session, failure in newest_first
            if failure.resolved
        ),
        attempts=tuple(attempts[:_MAX_ATTEMPTS]),
    )
