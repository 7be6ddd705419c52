"""What is chosen for a budget fits into it, and nothing worth more was left out for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aicx.brief import first_that_fit, fit

PARTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)))


@given(PARTS, st.integers(0, 100), st.integers(0, 9), st.integers(0, 4))
def test_as_many_as_fit_are_kept_the_best_first(
    parts: list[tuple[int, int]], room: int, foot: int, always: int
) -> None:
    """Also where what is said of those left out takes room of its own."""

    def render(kept: list[int], left: list[int]) -> str:
        return "x" * (sum(parts[number][1] for number in kept) + foot * len({parts[number][0] for number in left}))

    text, kept, left = fit([worth for worth, _ in parts], render, lambda text: len(text) <= room, always)
    best = [*sorted(kept, key=lambda number: (parts[number][0], number)), *left]
    assert best == sorted(range(len(parts)), key=lambda number: (parts[number][0], number))
    assert kept == sorted(kept)
    assert text == render(kept, left)
    assert len(kept) >= min(always, len(parts))
    assert len(text) <= room or len(kept) <= always
    assert all(len(render(best[:more], best[more:])) > room for more in range(len(kept) + 1, len(parts) + 1))


@given(st.lists(st.integers(0, 30)), st.integers(0, 100))
def test_the_first_that_fit_fit(sizes: list[int], room: int) -> None:
    count = first_that_fit(sizes, room)
    assert sum(sizes[:count]) <= room
    assert count == len(sizes) or sum(sizes[: count + 1]) > room
