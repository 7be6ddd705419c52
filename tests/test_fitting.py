"""What is chosen for a budget fits into it, and nothing worth more was left out for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aicx.text import first_that_fit, fit

PARTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)))


@given(PARTS, st.integers(0, 100))
def test_as_many_as_fit_are_kept_the_best_first(parts: list[tuple[int, int]], room: int) -> None:
    def fits(numbers: list[int]) -> bool:
        return sum(parts[number][1] for number in numbers) <= room

    kept, left = fit([worth for worth, _ in parts], fits)
    assert fits(kept)
    assert not left or not fits(sorted([*kept, left[0]]))
    assert sorted([*kept, *left]) == list(range(len(parts)))
    assert all((parts[one][0], one) < (parts[other][0], other) for one in kept for other in left)
    assert kept == sorted(kept)


@given(st.lists(st.integers(0, 30)), st.integers(0, 100))
def test_the_first_that_fit_fit(sizes: list[int], room: int) -> None:
    count = first_that_fit(sizes, room)
    assert sum(sizes[:count]) <= room
    assert count == len(sizes) or sum(sizes[: count + 1]) > room
