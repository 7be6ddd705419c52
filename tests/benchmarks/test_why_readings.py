"""Readings of reasons score the lines that are told now, and count as unread what changed since."""

from __future__ import annotations

from aicx.api.answers.why import WhyReason
from benchmarks.readings import read, title_hash
from benchmarks.why_readings import lines_of, scores


def reason(kind: str, text: str) -> WhyReason:
    return WhyReason(kind, text, "2026-01-01T10:00:00Z", "chunk:claude:1:001", "1")  # type: ignore[arg-type]


def row(kind: str, text: str, label: str, reading: str = "first") -> dict[str, str]:
    return {"id": "c", "kind": kind, "line": title_hash(text), "label": label, "reading": reading}


def test_a_line_counts_by_its_label_and_a_new_one_as_unread() -> None:
    rows = [
        row("asked", "Count the moons", "show"),
        row("asked", "Push", "not"),
        row("found", "Twice", "show", "again"),
        row("asked", "Count the rings", "not", "fresh") | {"id": "d"},
    ]
    told = list(lines_of("c", [reason("asked", "Count the moons"), reason("found", "Twice"), reason("found", "New")]))
    first, fresh, now, asked, found = scores(rows, [*told, *lines_of("d", [reason("asked", "Count the rings")])])
    assert first.startswith("first reading: 0.500 (1 of 2")
    assert fresh.startswith("told now of fresh commits: 0.000 (0 of 1")
    assert now.startswith("told now: 0.667 (2 of 3")
    assert now.endswith("unread: 1")
    assert asked.startswith("asked: 0.500 (1 of 2")
    assert found.endswith("unread: 1")


def test_readings_that_are_kept_hold_no_text() -> None:
    rows = read("why")
    assert len({row["id"] for row in rows if row["reading"] != "fresh"}) == 40
    assert len({row["id"] for row in rows if row["reading"] == "fresh"}) == 15
    assert {row["label"] for row in rows} == {"show", "not"}
    assert all(len(row["line"]) == 16 and len(row["reason"]) < 50 for row in rows)
