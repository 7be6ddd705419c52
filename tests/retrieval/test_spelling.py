"""What a misspelt word may have been meant for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.languages import made_of, slips


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("serach", "search"),  # swapped
        ("aplied", "applied"),  # typed once
        ("appllied", "applied"),  # typed twice
        ("databse", "database"),  # left out
        ("datatbase", "database"),  # put in
        ("conversotion", "conversation"),  # another letter
    ],
)
def test_a_word_is_one_likely_slip_away_from_what_was_meant(typed: str, meant: str) -> None:
    assert any(meant in likely for likely in slips(typed))


@pytest.mark.parametrize(
    ("typed", "other"),
    [
        ("mole", "mode"),  # in a short word another letter is another word
        ("boost", "boot"),
        ("concert", "convert"),
        ("agentv", "agents"),  # words that end otherwise are other words
        ("systemd", "system"),
        ("broker", "broken"),
    ],
)
def test_another_word_is_not_taken_for_a_slip(typed: str, other: str) -> None:
    assert not any(other in likely for likely in slips(typed))


def test_swapped_and_doubled_letters_are_likelier_than_another_letter() -> None:
    found = list(slips("conection"))
    assert "connection" in found[0]
    assert "confection" in found[1]


@pytest.mark.parametrize(
    ("word", "part"), [("rebalance", "balance"), ("balancer", "balance"), ("unfoldable", "unfold")]
)
def test_a_word_is_made_of_what_is_left_without_prefix_or_suffix(word: str, part: str) -> None:
    assert part in made_of(word)


@given(st.text("abcd", max_size=10))
def test_no_slip_leaves_a_word_as_it_is(word: str) -> None:
    assert not any(word in likely for likely in slips(word))


@pytest.mark.parametrize("typed", ["backoffings", "bookeeper", "committted"])
def test_no_word_meant_has_a_letter_three_times_in_a_row(typed: str) -> None:
    assert not [word for likely in slips(typed) for word in likely if re.search(r"(.)\1\1", word)]


@pytest.mark.parametrize("typed", ["backoffing", "backoffings", "backoffed"])
def test_an_ending_is_taken_off_without_the_letter_before_it(typed: str) -> None:
    assert next(slips(typed)) == ["backoff"]
