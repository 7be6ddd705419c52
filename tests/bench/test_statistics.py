"""Intervals and tests against small cases that can be counted through."""

from __future__ import annotations

import pytest

from aicx.bench.statistics import differences, holm, intervals

pytestmark = pytest.mark.needs("bench")


def test_interval_of_equal_values_is_that_value() -> None:
    found = intervals({"a": [0.5] * 8}, seed=1)["a"]
    assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)


def test_interval_of_two_values_reaches_from_one_to_the_other() -> None:
    # Drawn twice from {0, 1}, the mean is 0 or 1 in a quarter of the cases each: more than the 2.5 % outside.
    found = intervals({"a": [0.0, 1.0]}, seed=1)["a"]
    assert (found.mean, found.low, found.high) == (0.5, 0.0, 1.0)


def test_interval_of_a_coin_is_that_of_the_binomial() -> None:
    # 100 tosses, half of them heads: 0.5 -+ 1.96 * sqrt(0.25 / 100).
    found = intervals({"a": [0.0, 1.0] * 50}, seed=3)["a"]
    assert found.low == pytest.approx(0.402, abs=0.015)
    assert found.high == pytest.approx(0.598, abs=0.015)


def test_same_seed_gives_the_same_interval() -> None:
    values = {"a": [(number * 37 % 101) / 101 for number in range(100)]}
    assert intervals(values, seed=5) == intervals(values, seed=5)
    assert intervals(values, seed=5) != intervals(values, seed=6)


def test_no_questions_have_no_interval() -> None:
    assert intervals({"a": []}, seed=1) == {}


def test_p_is_the_share_of_signs_that_do_as_much() -> None:
    # Three questions, each better by one: of the 8 ways to throw signs, 2 give a mean as far from zero.
    found = differences({"a": [1.0, 1.0, 1.0]}, [0.0, 0.0, 0.0], seed=1)["a"]
    assert found.mean == 1.0
    assert found.p == pytest.approx(2 / 8, abs=0.015)


def test_p_counts_ties_as_extreme() -> None:
    # Gaps of 1 and -1 have the mean 0, and every throw of signs is at least as far from it.
    assert differences({"a": [1.0, 0.0]}, [0.0, 1.0], seed=1)["a"].p == 1.0


@pytest.mark.needs("bench")
@pytest.mark.slow
def test_p_agrees_with_scipy() -> None:
    from scipy import stats

    first, second = [0.9, 0.4, 1.0, 0.5, 0.3, 1.0, 0.2, 0.7], [0.5, 0.5, 0.3, 0.5, 0.1, 0.8, 0.1, 0.6]
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    exact = stats.permutation_test(
        (gaps,), lambda values: sum(values) / len(values), permutation_type="samples", n_resamples=100_000
    )
    assert differences({"a": first}, second, seed=2)["a"].p == pytest.approx(exact.pvalue, abs=0.015)


def test_p_is_never_zero() -> None:
    found = differences({"a": [1.0] * 60}, [0.0] * 60, seed=1, resamples=999)["a"]
    assert found.p == pytest.approx(1 / 1000)


def test_interval_of_a_difference_is_narrower_than_unpaired_values_would_give() -> None:
    first = [0.0, 1.0] * 40
    found = differences({"a": [value - 0.1 for value in first]}, first, seed=1)["a"]
    assert (round(found.low, 6), round(found.high, 6)) == (-0.1, -0.1)


def test_holm_multiplies_the_smallest_by_the_number_of_questions_asked() -> None:
    # Holm: 0.01 * 3, then 0.02 * 2, then 0.04 * 1, none below the one before.
    assert holm({"b": 0.02, "a": 0.01, "c": 0.04}) == pytest.approx({"b": 0.04, "a": 0.03, "c": 0.04})
