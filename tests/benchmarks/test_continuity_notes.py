"""Readings of what notes take from sessions score the lines that are told now, beside those that were read first."""

from __future__ import annotations

from benchmarks.continuity_notes import lines, noted
from tests.work.facts import facts, said

SESSION = {"goal": said("Seal the cells"), "next": (said("Number the doors"),), "failing": (said("`make` failed"),)}


def rows(**labels: tuple[str, str]) -> list[dict[str, object]]:
    """Readings of the sections of ``SESSION``, each with a label and when it was read."""
    known = {one.section: one for one in noted(facts(**SESSION))}
    return [
        {**known[section]._asdict(), "home": "dev", "label": label, "reason": "a reason", "reading": reading}
        for section, (label, reading) in labels.items()
    ]


def test_shares_are_told_by_section_and_by_when_they_were_read() -> None:
    readings = rows(goal=("right", "first"), next=("not", "fresh"))
    found = list(lines(readings, noted(facts(**SESSION))))
    assert found[0].startswith("goals that are right, as first read: 1.000 (1 of 1")
    assert found[1].startswith("next steps that are open, read once after: 0.000 (0 of 1")
    assert [one.split(":")[0] for one in found[2:4]] == ["goals that are right, now", "next steps that are open, now"]
    assert found[4:] == ["sessions read: 1; lines never read: 0", "  not right: a reason: 1"]


def test_a_line_that_changed_is_unread_and_a_section_that_was_not_read_is_left_out() -> None:
    changed = facts(**{**SESSION, "goal": said("Seal the doors")})
    assert list(lines(rows(goal=("right", "first")), noted(changed)))[1:] == ["sessions read: 1; lines never read: 1"]


def test_sessions_that_programs_ran_are_not_read() -> None:
    assert not list(noted(facts(automated=True, **SESSION)))
    assert not list(noted(facts(lane="subagent", **SESSION)))
