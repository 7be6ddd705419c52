"""What a session leaves to the next one."""

from __future__ import annotations

import pytest

from aicx.work.handoff import StartingPoint, handoff_of
from tests.work.facts import facts, failure, ran, said


@pytest.mark.parametrize(
    ("known", "outcome"),
    [
        ({}, "resolved"),
        ({"state": "active"}, "unresolved"),
        ({"state": "unknown"}, "unresolved"),
        ({"failing": (said("`make` failed"),)}, "failed"),
    ],
)
def test_a_session_is_resolved_only_where_it_said_so_and_nothing_fails(known: dict[str, object], outcome: str) -> None:
    assert handoff_of(facts(**known)).outcome == outcome


def test_what_was_said_last_is_done_only_where_the_work_is() -> None:
    checks = (said("`pytest` passed"),)
    assert handoff_of(facts(progress=said("Mended."), validated=checks)).done == (said("Mended."), *checks)
    assert handoff_of(facts(progress=said("Next I look."), validated=checks, state="active")).done == checks


def test_it_begins_where_something_fails_and_then_at_the_last_edit() -> None:
    broken = (failure(file="src/b.py"), failure("g", file="src/gone.py"), failure("h", file="src/a.py", resolved=None))
    found = handoff_of(facts(opened=("src/b.py",), edited=("src/a.py", "src/c.py"), failures=broken))
    assert found.starting_points == (
        StartingPoint("src/a.py", "failed_here"),
        StartingPoint("src/b.py", "failed_here"),
        StartingPoint("src/c.py", "edited_last"),
    )


def test_of_each_test_the_last_run_counts() -> None:
    runs = (ran("pytest a", passed=False), ran("pytest b"), ran("pytest a"))
    assert [(run.command, run.passed) for run in handoff_of(facts(tests=runs)).tests] == [
        ("pytest a", True),
        ("pytest b", True),
    ]
