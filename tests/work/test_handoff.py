"""What a session leaves to the next one."""

from __future__ import annotations

import pytest

from aicx.work.handoff import derived_answer, handoff_of, hands_on
from aicx.work.session_facts import Said
from tests.work.facts import facts, failure, ran, said


@pytest.mark.parametrize(
    ("known", "outcome"),
    [
        ({}, "resolved"),
        ({"state": "active"}, "unresolved"),
        ({"state": "unknown"}, "unresolved"),
        ({"failing": (said("`make` failed"),), "edited": ("src/a.py",)}, "failed"),
        ({"failing": (said("`make` failed"),), "commits": (said("Fix a"),)}, "failed"),
        ({"failing": (said("`make` failed"),)}, "resolved"),  # it changed nothing
    ],
)
def test_a_session_is_resolved_only_where_it_said_so_and_nothing_fails(known: dict[str, object], outcome: str) -> None:
    assert handoff_of(facts(**known)).outcome == outcome


def test_what_was_said_last_is_done_only_where_the_work_is() -> None:
    asked = (said("https://github.com/ada/shop/pull/1"),)
    assert handoff_of(facts(reported=said("Mended."), pull_requests=asked)).done == (said("Mended."), *asked)
    assert handoff_of(facts(reported=said("Next I look."), pull_requests=asked, state="active")).done == asked


def test_it_begins_where_something_fails_and_then_at_the_last_edit() -> None:
    broken = (failure(file="src/b.py"), failure("g", file="src/gone.py"), failure("h", file="src/a.py", resolved=None))
    ended_with = (Said("`make` failed", "2026-03-01T10:10:00Z", ("chunk:claude:a:001",)),)
    found = handoff_of(
        facts(opened=("src/b.py",), edited=("src/a.py", "src/c.py"), failures=broken, failing=ended_with)
    )
    assert found.starting_points == ("src/a.py", "src/b.py", "src/c.py")


def test_nothing_begins_at_a_file_that_was_deleted() -> None:
    found = handoff_of(facts(edited=("src/a.py", "old/b.py", "src/c.py"), deleted=("src/c.py", "old")))
    assert found.starting_points == ("src/a.py",)


def test_of_each_test_the_last_run_counts() -> None:
    runs = (ran("pytest a", passed=False), ran("pytest b"), ran("pytest a"))
    assert [(run.command, run.passed) for run in handoff_of(facts(tests=runs)).tests] == [
        ("pytest a", True),
        ("pytest b", True),
    ]


def test_a_test_is_told_only_where_it_passed_or_still_fails() -> None:
    runs = (ran("pytest -k old", passed=False), ran("pytest", passed=None), ran("pytest a"))
    assert [run.command for run in handoff_of(facts(tests=runs)).tests] == ["pytest a"]
    still = handoff_of(facts(tests=runs, failing=(said("`pytest -k old` failed"),)))
    assert [(run.command, run.passed) for run in still.tests] == [("pytest a", True), ("pytest -k old", False)]


@pytest.mark.parametrize(
    ("known", "left"),
    [
        ({"goal": said("fix it"), "reported": said("It cannot be mended.")}, True),
        ({"goal": said("fix it"), "progress": said("Next I look at the reader.")}, False),
        ({"goal": said("fix it"), "edited": ("a.py",)}, True),
        ({"reported": said("It cannot be mended.")}, False),
        ({}, False),
        ({"automated": True, "goal": said("rate it")}, False),
        ({"automated": True, "edited": ("a.py",)}, True),
        ({"lane": "subagent"}, False),
    ],
)
def test_a_session_leaves_something_where_it_changed_something_or_answered_a_person(
    known: dict[str, object], left: bool
) -> None:
    assert hands_on(facts(**known)) is left


ASKED = "Empty files make the export of invoices crash on Windows"
CALLED = "can you check which ones… \u2014 Seal the lids"


@pytest.mark.parametrize(
    ("wanted", "title", "goal"),
    [
        ("commit", "Seal the lids of the hives", "Seal the lids of the hives (asked: commit)"),
        ("review ada/hive#12", "Seal the lids", "Seal the lids (asked: review ada/hive#12)"),
        ("can you check which ones still apply?", CALLED, "can you check which ones still apply?"),
        (ASKED, "Export", ASKED),
        ("commit", None, "commit"),
    ],
)
def test_a_request_without_content_is_told_by_what_the_session_is_called(
    wanted: str, title: str | None, goal: str
) -> None:
    known = facts(goal=said(wanted), title=title, reported=said("Done."))
    assert derived_answer(handoff_of(known)).goal == goal


def test_a_test_of_a_part_is_not_told_beside_the_whole_that_passed_later() -> None:
    runs = (ran("pytest tests/a.py"), ran("pytest tests"), ran("npm test"))
    assert [run.command for run in handoff_of(facts(tests=runs)).tests] == ["npm test", "pytest tests"]
