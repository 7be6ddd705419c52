"""Readings of handoffs score the lines that are told now, beside those that were read first."""

from __future__ import annotations

from benchmarks.handoffs import drawn, lines, told
from tests.work.facts import facts, said


def row(line: str, label: str, reading: str) -> dict[str, object]:
    one = [each for each in told(facts(goal=said("Seal the cells"), progress=said("Sealed."))) if each.section == line]
    name = {"session": one[0].session, "section": line, "number": 0, "line": one[0].line}
    return {**name, "home": "dev", "label": label, "reason": "a reason", "reading": reading}


def test_a_line_that_changed_is_unread() -> None:
    readings = [row("goal", "useful", "first"), row("summary", "not", "fresh")]
    found = list(lines(readings, told(facts(goal=said("Seal the doors"), progress=said("Sealed.")))))
    assert found[0].startswith("useful lines of what was read once the rules had been changed: 0.000 (0 of 1")
    assert found[1].startswith("useful lines, as first read: 1.000 (1 of 1")
    assert found[3].startswith("useful lines, now: 0.000 (0 of 1")
    assert found[5:] == ["read: 1; lines never read: 1", "  not useful: a reason: 1"]


def test_sessions_that_leave_nothing_tell_nothing() -> None:
    assert not list(told(facts(automated=True, goal=said("Rate this diff"))))


def test_the_same_sessions_are_drawn_in_whatever_order_they_are_stored() -> None:
    every = [facts(f"s{number}") for number in range(20)]
    assert drawn(every, 5) == drawn(every[::-1], 5)
    assert len(drawn(every, 5)) == 5
