"""Batches of texts: each is as wide as its longest text, and padding takes its time too."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from retrieval.embedders.onnx import batches


@given(st.lists(st.integers(2, 256), max_size=200))
def test_every_text_is_in_one_batch_that_it_fills_by_three_quarters(lengths: list[int]) -> None:
    found = list(batches(lengths))
    assert sorted(row for batch in found for row in batch) == list(range(len(lengths)))
    for batch in found:
        longest = max(lengths[row] for row in batch)
        assert all(lengths[row] >= 0.75 * longest for row in batch)
        assert len(batch) == 1 or len(batch) * longest <= 1024


def test_ten_windows_of_a_question_go_in_two_batches_where_two_are_short() -> None:
    assert list(batches([64, 12, 60, 64, 11, 58, 64, 64, 63, 62])) == [[0, 3, 6, 7, 8, 9, 2, 5], [1, 4]]


def test_passages_go_in_smaller_batches() -> None:
    assert list(batches([64] * 6, 256)) == [[0, 1, 2, 3], [4, 5]]
