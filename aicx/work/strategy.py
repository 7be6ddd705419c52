"""Strategies: how tasks like this one succeeded before. Where they began, what was edited, and which test passed.

A session that left a failure is never one. Weights are in the order of AICTX 6.3: shared files before words, words
before the area.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from aicx.values import dataclass
from aicx.work.areas import area_of
from aicx.work.contract import is_test
from aicx.work.handoff import handoff_of
from aicx.work.session_facts import SessionFacts
from retrieval.analysis import analyze

Reason = Literal["shared_files", "task_words", "same_area", "tests_passed"]
Confidence = Literal["low", "medium", "high"]

_FILES, _WORDS, _AREA, _TESTED = 3.0, 2.5, 0.8, 0.4
_FIRST, _MAX_FILES, _MAX_COMMANDS = 3, 8, 3
_MIN_SHARED = 0.15  # of a task's words and another's, shared ones: below it they are about different things


@dataclass(frozen=True, slots=True)
class Strategy:
    """A session that succeeded at something like the task."""

    session: str
    goal: str
    at: str
    score: float
    reasons: tuple[Reason, ...]
    entry_points: tuple[str, ...]
    edited: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def confidence(self) -> Confidence:
        strong = {"shared_files", "task_words"} & set(self.reasons)
        return "high" if len(strong) == 2 else "medium" if strong else "low"


def strategies(
    task: str, sessions: Iterable[SessionFacts], files: Collection[str] = (), limit: int = 2
) -> list[Strategy]:
    """The successful sessions most like ``task``, best first. ``files`` are those that the task is surely about."""
    words = set(analyze(task).words)
    wanted = {area_of(path) for path in files}
    found = [
        one
        for facts in sessions
        if facts.edited and handoff_of(facts).outcome == "resolved" and (one := _compare(words, files, wanted, facts))
    ]
    return sorted(found, key=lambda one: (one.score, one.at, one.session), reverse=True)[:limit]


def _compare(words: set[str], files: Collection[str], areas: set[str], facts: SessionFacts) -> Strategy | None:
    goal = facts.goal.text if facts.goal else facts.title or ""
    own = set(analyze(goal).words)
    similar = len(words & own) / len(words | own) if words and own else 0.0
    shared = len(set(files) & set(facts.edited)) / len(set(files)) if files else 0.0
    passed = [run.command for run in facts.tests if run.passed]
    parts: dict[Reason, float] = {
        "shared_files": _FILES * shared,
        "task_words": _WORDS * similar * (similar >= _MIN_SHARED),
        "same_area": _AREA * (not areas.isdisjoint(map(area_of, facts.edited))),
        "tests_passed": _TESTED * bool(passed),
    }
    if not (parts["shared_files"] or parts["task_words"]):
        return None
    before_edits = [path for path in facts.opened if not is_test(path)]
    return Strategy(
        session=facts.ref,
        goal=goal,
        at=facts.ended_at,
        score=round(sum(parts.values()), 4),
        reasons=tuple(sorted((name for name, worth in parts.items() if worth), key=lambda name: -parts[name])),
        entry_points=tuple(path for path in before_edits if path in facts.edited)[:_FIRST] or facts.edited[:_FIRST],
        edited=facts.edited[:_MAX_FILES],
        tests=tuple(dict.fromkeys(reversed(passed)))[:_MAX_COMMANDS],
    )
