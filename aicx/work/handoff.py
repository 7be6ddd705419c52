"""A handoff: what a session leaves to the next one, as its log says it. A snapshot that is never changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from aicx.evidence.fixes import repeats
from aicx.shell import simple_commands
from aicx.values import dataclass
from aicx.work.session_facts import Ran, Said, SessionFacts

Outcome = Literal["resolved", "failed", "unresolved"]
PointReason = Literal["failed_here", "edited_last"]

_MAX_POINTS = 5


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """A file to begin at, from the repository's root."""

    path: str
    reason: PointReason


@dataclass(frozen=True, slots=True)
class Handoff:
    """What a session leaves. ``tests`` are the last runs of those commands that passed, or that still fail."""

    facts: SessionFacts
    outcome: Outcome
    starting_points: tuple[StartingPoint, ...]
    tests: tuple[Ran, ...]

    @property
    def session(self) -> str:
        return self.facts.ref

    @property
    def done(self) -> tuple[Said, ...]:
        """What was reached, in the session's own words, and what others can see of it.

        That code was formatted, linted or built tells nobody what works; tests are told apart.
        """
        facts = self.facts
        said = (facts.reported,) if facts.reported is not None and self.outcome == "resolved" else ()
        return (*said, *facts.pull_requests)


def hands_on(facts: SessionFacts) -> bool:
    """Whether a session leaves anything: one that reported nothing, or that a program started, only where it changed
    something.
    """
    changed = facts.edited or facts.commits or facts.pull_requests
    reported = not facts.automated and facts.wanted and facts.reported
    return facts.lane != "subagent" and bool(changed or reported)


def handoff_of(facts: SessionFacts) -> Handoff:
    """The handoff of a session."""
    # What a session saw fail that changed nothing is no failure of its own.
    failed = bool(facts.failing and (facts.edited or facts.commits))
    outcome: Outcome = "failed" if failed else "resolved" if facts.state == "completed" else "unresolved"
    latest: dict[str, Ran] = {}
    for run in facts.tests:
        latest.pop(run.command, None)
        latest[run.command] = run
    broken = {ref for line in facts.failing for ref in line.refs}
    told = [run for run in reversed(latest.values()) if run.passed or (run.passed is False and run.ref in broken)]
    return Handoff(facts, outcome, _starting_points(facts), tuple(_widest(told)))


def _widest(runs: Sequence[Ran]) -> list[Ran]:
    """The runs without those that passed of tests that another one, told before, had among its own."""
    found: list[Ran] = []
    for run in runs:
        parts = simple_commands(run.command)
        wider = (part for other in found if other.passed for part in simple_commands(other.command))
        if not (run.passed and parts and any(repeats(part, parts[-1]) for part in wider)):
            found.append(run)
    return found


def _starting_points(facts: SessionFacts) -> tuple[StartingPoint, ...]:
    """Where the open failures are, then what was edited, the last first. Nothing begins at a file that is gone."""
    touched = {*facts.opened, *facts.edited}
    failing = [one.file for one in reversed(facts.failures) if facts.still_fails(one) and one.file in touched]
    points: dict[str, PointReason] = dict.fromkeys((file for file in failing if file), "failed_here")
    for path in reversed(facts.edited):
        points.setdefault(path, "edited_last")
    left = ((path, reason) for path, reason in points.items() if not _is_gone(path, facts.deleted))
    return tuple(StartingPoint(path, reason) for path, reason in left)[:_MAX_POINTS]


def _is_gone(path: str, deleted: Iterable[str]) -> bool:
    return any(path == gone or path.startswith(f"{gone.rstrip('/')}/") for gone in deleted)
