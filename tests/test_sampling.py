"""What is looked at in part: both ends, and every point with some seed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import sampling

POINTS = st.integers(0, 60).map(range)
SIZES = st.integers(3, 12)
SEEDS = st.integers(0, 2**32)


@pytest.fixture(autouse=True)
def _in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "ALL", False)


@given(POINTS, SIZES, st.booleans(), st.text())
def test_every_point_is_reached_by_some_seed(points: range, size: int, ends: bool, of: str) -> None:
    missing = {*points}
    for seed in range(2000):
        missing -= {*sampling.sample(points, size, of, ends=ends, seed=seed)}
        if not missing:
            return
    pytest.fail(f"never reached: {missing}")


@given(POINTS, SIZES, st.booleans(), SEEDS)
def test_a_sample_has_as_many_points_as_wanted_in_their_order(points: range, size: int, ends: bool, seed: int) -> None:
    found = sampling.sample(points, size, ends=ends, seed=seed)
    assert found == sorted({*found} & {*points})
    assert len(found) == min(size, len(points))


@given(POINTS, SIZES, SEEDS)
def test_the_first_and_the_last_are_always_there(points: range, size: int, seed: int) -> None:
    assert {*points[:1], *points[-1:]} <= {*sampling.sample(points, size, seed=seed)}


def test_the_same_seed_takes_the_same_points_and_others_of_each() -> None:
    assert sampling.sample(range(999), 9, "a", seed=1) == sampling.sample(range(999), 9, "a", seed=1)
    assert sampling.sample(range(999), 9, "a", seed=1) != sampling.sample(range(999), 9, "b", seed=1)


def test_all_is_looked_at_where_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "ALL", True)
    assert sampling.sample(range(100), 3) == [*range(100)]


def test_the_seed_of_the_order_chooses(pytestconfig: pytest.Config) -> None:
    seed = pytestconfig.getoption("randomly_seed", None) or 0
    assert sampling.sample(range(1000), 9) == sampling.sample(range(1000), 9, seed=seed)
