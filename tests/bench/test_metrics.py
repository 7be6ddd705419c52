"""Measures against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from aicx.bench.dataset import Query, quality

pytestmark = pytest.mark.needs("bench")


ONE = Query("q", "?", {"a": 1})
TWO = Query("q", "?", {"a": 1, "b": 1})


def measured(query: Query, *answers: str) -> dict[str, float]:
    return quality([query], {query.id: answers})["q"]


def test_first_place_is_worth_one_in_every_measure() -> None:
    assert set(measured(ONE, "a", "x").values()) == {1.0}


def test_third_place_is_worth_a_third_in_mrr() -> None:
    assert measured(ONE, "x", "y", "a")["MRR@10"] == pytest.approx(1 / 3)


def test_ndcg_divides_the_discounted_gain_by_the_best_possible() -> None:
    # The answers stand in places 1 and 3: 1/log2(2) + 1/log2(4), where 1/log2(2) + 1/log2(3) is possible.
    expected = (1 + 1 / 2) / (1 + 1 / math.log2(3))
    assert measured(TWO, "a", "x", "b")["nDCG@10"] == pytest.approx(expected)


def test_ndcg_takes_grades_as_gains() -> None:
    graded = Query("q", "?", {"a": 1, "b": 3})
    expected = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    assert measured(graded, "a", "b")["nDCG@10"] == pytest.approx(expected)


def test_recall_is_the_share_of_answers_found_by_then() -> None:
    found = measured(TWO, "x", "x2", "x3", "x4", "a", "b")
    assert (found["Recall@5"], found["Recall@10"]) == (0.5, 1.0)


def test_hit_at_1_looks_at_the_first_place_only() -> None:
    found = measured(ONE, "x", "a")
    assert (found["hit@1"], found["hit@10"]) == (0.0, 1.0)


def test_eleventh_place_counts_for_nothing() -> None:
    others = [f"x{number}" for number in range(10)]
    assert set(measured(ONE, *others, "a").values()) == {0.0}


def test_a_question_without_any_answer_given_scores_nothing() -> None:
    assert set(measured(ONE).values()) == {0.0}


def test_a_question_that_nothing_answers_is_not_measured() -> None:
    assert quality([Query("n", "?", type="negative")], {"n": ["a"]}) == {}


def test_order_of_the_ranker_decides_and_not_the_names() -> None:
    assert measured(Query("q", "?", {"a": 1}), "z", "a")["MRR@10"] == 0.5
    assert measured(Query("q", "?", {"z": 1}), "z", "a")["MRR@10"] == 1.0
