"""How a line is set in rows that fit a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx import console
from aicx.folding import fold

pytestmark = pytest.mark.needs("test")


@given(st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=30), st.integers(20, 90))
def test_folding_keeps_every_word_in_its_order(words: list[str], width: int) -> None:
    folded = fold(" ".join(words), width)
    assert folded.split() == words
    assert all(len(row) <= width or " " not in row for row in folded.split("\n"))


def test_what_fits_is_left_as_it_is() -> None:
    assert fold("a  b   c\n\n  d", 20) == "a  b   c\n\n  d"


@pytest.mark.parametrize(
    ("line", "folded"),
    [
        ("- one two three four five", "- one two three four\n  five"),
        ("12. one two three four five", "12. one two three\n    four five"),
        ("  │ one two three four five", "  │ one two three\n  │ four five"),
        ("name    one two three four", "name    one two\n        three four"),
        ("warning: one two three four", "warning: one two\n         three four"),
        ("one · two · three · four", "one · two · three ·\nfour"),
        ("say `aicx store` then `aicx search`", "say `aicx store`\nthen `aicx search`"),
    ],
)
def test_what_continues_begins_below_its_text(line: str, folded: str) -> None:
    assert fold(line, 20) == folded


def test_a_long_word_has_a_row_of_its_own() -> None:
    assert fold(f"see {'x' * 30} for it", 20) == f"see\n{'x' * 30}\nfor it"


def test_wide_signs_take_two_cells() -> None:
    assert fold("日本語" * 5, 20) == f"{'日本語' * 3}日\n本語日本語"


def test_a_style_ends_with_its_row_and_begins_again_in_the_next() -> None:
    console.Style.color = True
    red = console.style("one two three four five six", fg="red")
    assert fold(red, 20) == "\x1b[31mone two three four\x1b[0m\n\x1b[31mfive six\x1b[0m"
