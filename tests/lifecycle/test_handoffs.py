"""The chain of handoffs: what somebody stated stands for the session that stated it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from aicx.lifecycle.handoffs import answer_of, chain
from aicx.work.record import WorkRecord
from tests.work.facts import facts, said

AT = datetime(2026, 3, 1, 10, 59, tzinfo=UTC)
STATED = WorkRecord("0" * 12, "handoff", "The export", "Fix it", "repo", "tree", created_at=AT, updated_at=AT)
SESSION = facts("a", goal=said("Fix the export"), reported=said("Fixed."), finalized=True)


def _refs(record: WorkRecord, *sessions: object) -> list[str]:
    links, total = chain([record], list(sessions), 10, None)
    assert total == len(links)
    return [link.found.ref if isinstance(link.found, WorkRecord) else link.found.facts.ref for link in links]


def test_a_session_that_stated_a_handoff_is_not_listed_again() -> None:
    assert _refs(replace(STATED, sources=("session:claude:a",)), SESSION) == [STATED.ref]


def test_a_statement_without_a_session_is_of_the_one_that_made_the_call() -> None:
    assert _refs(STATED, SESSION) == [STATED.ref]


@pytest.mark.parametrize(("asked", "left"), [("Now the import", True), ("Now the report", False)])
def test_a_request_that_a_later_session_begins_with_is_not_left_to_do(asked: str, *, left: bool) -> None:
    ended = replace(SESSION, unanswered=said("Now the report"), finalized=False)
    later = facts("b", goal=said(asked), reported=said("Done."), ended_at="2026-03-01T12:00:00Z")
    links, _ = chain([], [later, ended], 10, None)
    [answer] = [found for found in map(answer_of, links) if found.session == ended.ref]
    assert bool(answer.next) is left


@pytest.mark.parametrize(
    "other", [replace(SESSION, finalized=False), replace(SESSION, started_at="2026-03-01T10:59:30Z")]
)
def test_a_session_that_made_no_call_at_the_time_has_its_own(other) -> None:
    assert set(_refs(STATED, other)) == {STATED.ref, "session:claude:a"}
