"""Which owners a question is about, and in which order."""

from __future__ import annotations

import pytest

from aicx.packs.choosing import says_together
from aicx.packs.lists import Owner, focused


def owner(title: str) -> Owner:
    return Owner(f"session:claude:{title}", title, "done", "2026-01-01", "2026-01-01", None)


def test_words_beside_each_other_come_before_words_apart() -> None:
    apart, together, other = map(owner, ("Tokens: mend their cache", "Caching tokens", "Print the report"))
    assert focused([apart, together, other], "cached token") == [together, apart]


@pytest.mark.parametrize(
    ("phrase", "text", "together"),
    [
        ("cached tokens", "we cache the token", True),
        ("cached tokens", "tokens are cached", False),
        ("tokens", "tokens", False),
        ("", "", False),
    ],
)
def test_words_are_compared_without_endings_and_in_their_order(phrase: str, text: str, together: bool) -> None:
    assert says_together(phrase, [None, "else", text]) == together
