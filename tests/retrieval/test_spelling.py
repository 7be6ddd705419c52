"""Which known word a misspelt one is taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.spelling import _slips as slips
from retrieval.spelling import nearest

WORDS = {"lock": 9, "log": 50, "lodge": 1, "manifest": 3, "parse_header": 2, "worktree": 4}


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("lokc", "lock"),  # two letters swapped
        ("lck", None),  # in so short a word a slip makes another word
        ("manifset", "manifest"),
        ("mnaifset", "manifest"),
        ("worktre", "worktree"),
        ("workktreee", "worktree"),
        ("parse_haeder", "parse_header"),
        ("quaternion", None),
    ],
)
def test_word_is_taken_for_the_nearest(asked: str, meant: str | None) -> None:
    assert nearest(asked, WORDS) == meant


def test_of_equally_near_words_the_more_frequent_is_meant() -> None:
    assert nearest("cart", {"card": 2, "care": 7, "tart": 1}) == "care"


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_slips_are_the_same_both_ways_and_none_only_between_equals(first: str, second: str) -> None:
    assert slips(first, second) == slips(second, first)
    assert (slips(first, second) == 0) == (first == second)


@given(st.text("abcd", min_size=1, max_size=8), st.data())
def test_one_edit_is_one_slip(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 1))
    assert slips(word, word[:at] + word[at + 1 :]) == 1
    assert slips(word, word[:at] + "x" + word[at:]) == 1
    assert slips(word, word[:at] + "x" + word[at + 1 :]) == 1
