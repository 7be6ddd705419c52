"""Joining votes, with arithmetic worked by hand."""

from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.types import Candidate
from retrieval.ranking import Scale, pooled, positive_score, raised, reciprocal_rank, standard_sum, weighted_sum


def ranking(**scores):
    return [Candidate(name, score) for name, score in sorted(scores.items(), key=lambda item: -item[1])]


def test_weighted_sum_is_worked_from_normalised_scores():
    # lexical: a 10 -> 1.0, b 5 -> 0.05 + 0.95 * 0.5 = 0.525, c 0 -> 0.05; dense: c -> 1.0, a -> 0.05
    fused = weighted_sum(
        {"lexical": ranking(a=10.0, b=5.0, c=0.0), "dense": ranking(c=0.9, a=0.1)}, {"lexical": 0.6, "dense": 0.4}
    )
    assert [(item.id, round(item.score, 4)) for item in fused] == [("a", 0.62), ("c", 0.43), ("b", 0.315)]


def test_reciprocal_rank_is_worked_from_ranks():
    fused = reciprocal_rank({"x": ranking(a=3.0, b=2.0), "y": ranking(b=9.0)}, {"x": 1.0, "y": 1.0})
    assert [(item.id, round(item.score, 6)) for item in fused] == [
        ("b", round(1 / 62 + 1 / 61, 6)),
        ("a", round(1 / 61, 6)),
    ]


def test_a_single_ranker_keeps_its_order():
    fused = weighted_sum({"lexical": ranking(a=3.0, b=2.0, c=1.0)}, {"lexical": 1.0})
    assert [item.id for item in fused] == ["a", "b", "c"]


def test_a_ranker_without_candidates_takes_no_share():
    fused = weighted_sum({"lexical": ranking(a=3.0), "dense": []}, {"lexical": 0.5, "dense": 0.5})
    assert fused[0].score == pytest.approx(1.0)


def test_votes_tell_rank_and_score_of_each_ranker():
    fused = weighted_sum({"lexical": ranking(a=3.0, b=2.0)}, {"lexical": 1.0})
    assert (fused[1].votes["lexical"].rank, fused[1].votes["lexical"].score) == (2, 2.0)


SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(-100, 100), max_size=8)


@given(SCORES, SCORES)
def test_fusion_ignores_the_order_of_rankers(left, right):
    weights = {"l": 0.7, "r": 0.3}
    one = weighted_sum({"l": ranking(**left), "r": ranking(**right)}, weights)
    other = weighted_sum({"r": ranking(**right), "l": ranking(**left)}, weights)
    assert [(item.id, item.score) for item in one] == [(item.id, item.score) for item in other]


@given(SCORES, SCORES)
def test_everything_that_was_named_is_fused_once(left, right):
    fused = weighted_sum({"l": ranking(**left), "r": ranking(**right)}, {"l": 1.0, "r": 1.0})
    assert sorted(item.id for item in fused) == sorted({*left, *right})


# Scores on scales -----------------------------------------------------------------------------------------------------


def test_scores_count_in_units_of_their_scales():
    found = standard_sum(
        {"lexical": [Candidate("a", 6.0), Candidate("b", 3.0)], "dense": [Candidate("b", 0.5), Candidate("a", 0.3)]},
        {"lexical": 8.0, "dense": 1.0},
        {"lexical": Scale(0.0, 12.0), "dense": Scale(0.2, 0.1)},
    )
    assert {item.id: item.score for item in found} == pytest.approx({"a": 8 * 0.5 + 1, "b": 8 * 0.25 + 3})


@given(st.lists(st.floats(-500, 500), min_size=2, max_size=20))
def test_a_score_above_0_keeps_the_order_of_any(values: list[float]) -> None:
    made = [positive_score(value) for value in sorted(values)]
    assert made[0] > 0
    assert made == sorted(made)


@given(st.floats(-500, 500), st.floats(-50, 50))
def test_more_is_added_to_what_a_score_was_made_from(score: float, more: float) -> None:
    assert raised(positive_score(score), more) == pytest.approx(positive_score(score + more), rel=1e-6)


@given(st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=6), min_size=1, max_size=4))
def test_the_scale_of_several_tables_is_that_of_one_with_all_their_scores(tables):
    whole = [score for table in tables for score in table]
    found = pooled([(Scale(fmean(table), pstdev(table)), len(table)) for table in tables])
    assert found.zero == pytest.approx(fmean(whole), abs=1e-9)
    assert found.unit == pytest.approx(pstdev(whole), abs=1e-7)
