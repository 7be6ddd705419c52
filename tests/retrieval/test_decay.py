"""The decay factor, with arithmetic worked by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.decay import PROFILES, Decay, factor

STRONG = Decay(days=14.0)


def test_after_one_time_constant():
    assert factor(14.0, STRONG)[0] == pytest.approx(0.3 + 1.2 * math.exp(-1))


def test_what_is_brand_new_is_clamped():
    clamped, raw = factor(0.0, STRONG)
    assert (clamped, raw) == (pytest.approx(1.5), pytest.approx(1.55))


def test_half_strength_is_half_way():
    assert factor(14.0, Decay(14.0, 0.5))[0] == pytest.approx(1 + (0.3 + 1.2 * math.exp(-1) - 1) / 2)


def test_off_leaves_scores_alone():
    assert factor(1000.0, PROFILES["off"]) == (1.0, 1.0)


def test_the_future_counts_as_new():
    assert factor(-5.0, STRONG) == factor(0.0, STRONG)


@given(st.floats(0, 10_000), st.floats(0, 10_000), st.sampled_from([STRONG, PROFILES["gentle"]]))
def test_decay_never_grows_with_age(one, other, decay):
    young, old = sorted((one, other))
    assert factor(young, decay)[0] >= factor(old, decay)[0]


@given(st.floats(0, 1e9))
def test_the_factor_stays_in_its_bounds(age):
    assert 0.3 <= factor(age, STRONG)[0] <= 1.5
