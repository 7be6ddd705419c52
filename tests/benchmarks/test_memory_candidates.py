"""What the figures for candidates count: labels by id, by rule, and what nobody read."""

from __future__ import annotations

from benchmarks.memory_candidates import lines
from benchmarks.readings import READINGS
from tests.memory.test_proposals import proposal_of


def test_the_share_counts_what_was_read_and_names_what_was_not() -> None:
    every = [proposal_of(f"never push to branch {name}") for name in "abc"]
    rows = [
        {"id": every[0].id, "label": "useful"},
        {"id": every[1].id, "label": "not"},
        {"id": "gone", "label": "not", "fresh": True},
        {"id": "early", "label": "useful", "shown": False},
    ]
    found = list(lines(rows, every))
    assert found[0].startswith("useful candidates: 0.500 (1 of 2")
    assert found[1].startswith("  person_stated: 0.500")
    assert found[1].endswith("BELOW")
    assert found[2] == "never read: 1"
    assert found[3].startswith("useful of what is not seen often enough to be proposed: 1.000 (1 of 1")
    assert found[4] == "read and not proposed: 1, of them useful: 0"
    assert found[5].startswith("read before any rule was changed for their home: 0.000 (0 of 1")


def test_what_one_of_two_readers_calls_useless_is_not_useful() -> None:
    every = [proposal_of(f"never push to branch {name}") for name in "abc"]
    rows = [
        {"id": one.id, "label": label, "again": again}
        for one, label, again in zip(every, ["useful", "useful", "not"], ["useful", "not", "not"], strict=True)
    ]
    found = list(lines(rows, every))
    assert found[0].startswith("useful candidates: 0.333 (1 of 3")
    assert found[3].startswith("read twice, with the same label: 0.667 (2 of 3")


def test_the_readings_hold_no_text() -> None:
    body = (READINGS / "memories.jsonl").read_text("utf-8")
    assert "statement" not in body
    assert len(body.splitlines()) >= 150
