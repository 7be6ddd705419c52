"""Readings of edges score those that are derived now, beside those that were read first."""

from __future__ import annotations

from aicx.sessions import Edge, EdgeType, Origin
from benchmarks.lineage import lines


def row(newer: str, kind: str, label: str, reading: str) -> dict[str, str]:
    return {"newer": newer, "older": "a", "type": kind, "label": label, "reason": "a reason", "reading": reading}


def edge(newer: str, kind: EdgeType, origin: Origin = "derived") -> Edge:
    return Edge(newer, "a", kind, "", 0.7, origin, "2026-03-01T10:00:00Z")


def test_an_edge_of_another_type_is_unread_and_a_logged_one_is_not_scored() -> None:
    readings = [
        row("b", "continues", "wrong", "first"),
        row("c", "related", "right", "first"),
        row("d", "continues", "right", "again"),
    ]
    found = list(lines(readings, [edge("b", "continues"), edge("c", "continues"), edge("d", "continues", "log")]))
    assert found[0].startswith("right edges, as first read: 0.500 (1 of 2")
    assert found[3].startswith("right edges, now: 0.000 (0 of 1")
    assert found[-2:] == ["derived: 2; never read: 1", "  wrong: a reason: 1"]
