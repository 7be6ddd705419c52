"""Ranks of right sessions are counted by how far down the first right one is."""

from __future__ import annotations

from benchmarks.questions import first_right, rank_lines


def test_the_first_of_several_right_sessions_counts() -> None:
    assert first_right(["seal-a", "seal-b", "seal-c"], ["seal-c", "seal-b"]) == 2
    assert first_right(["seal-a"], ["seal-b"]) is None


def test_a_question_without_a_right_answer_counts_as_a_miss_at_every_rank() -> None:
    first, three, ten, *misses = rank_lines({"a": 1, "b": 3, "c": 4, "d": None})
    assert first.startswith("right session among the first 1: 0.250 (1 of 4")
    assert three.startswith("right session among the first 3: 0.500 (2 of 4")
    assert ten.startswith("right session among the first 10: 0.750 (3 of 4")
    assert misses == ["  c: 4", "  d: not in 10"]
