"""Expressions mean what they mean to `re`, and no text and no expression makes a search go on without end."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.errors import PatternRefused
from aicx.regex import ExpressionSearch, TooSlow, searching

_LETTERS = "aab_ \nÄß7\u0130k\u212a."
_ATOMS = st.sampled_from(
    [
        *("a", "b", "_", "ä", "k", "7", ".", r"\.", "\n", "[ab]", "[^a]"),
        *(r"\w", r"\W", r"\d", r"\s", r"\S", r"[\W_]", r"[^\W\d]", r"[\s\S]"),
        *(r"\b", r"\B", "^", "$", r"\A", r"\Z"),
    ]
)


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, inner).map("(?:%s|%s)".__mod__),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "*?", "{2}", "{0,2}", "{1,}"])).map("(%s)%s".__mod__),
        inner.map("(?i:%s)".__mod__),
        inner.map("(?s:%s)".__mod__),
        inner.map("(?m:%s)".__mod__),
    )


@given(
    st.recursive(_ATOMS, _grown, max_leaves=8),
    st.lists(st.text(_LETTERS, min_size=1, max_size=8), max_size=4),
    st.sampled_from([re.NOFLAG, re.IGNORECASE, re.ASCII]),
)
def test_a_text_has_an_expression_as_re_sees_it(expression: str, texts: list[str], flags: re.RegexFlag) -> None:
    search, by_re = ExpressionSearch([expression], flags), re.compile(expression, flags)
    assert [search(text) for text in texts] == [by_re.search(text) is not None for text in texts]


@given(st.lists(st.recursive(_ATOMS, _grown, max_leaves=4), max_size=4), st.text(_LETTERS, min_size=1, max_size=8))
def test_several_expressions_are_found_as_each_would_be_alone(expressions: list[str], text: str) -> None:
    alone = {number for number, one in enumerate(expressions) if re.search(one, text)}
    assert set(ExpressionSearch(expressions).found(text)) == alone


@pytest.mark.parametrize(
    "expression",
    [
        r"(.*){30}x",
        r"(a|a)*c",
        r"(a*)*c",
        r"(\w+\s?)*$!",
        r"(a+a+)+c",
        r"(?:a?){200}a{200}c",
        r"(.*.*.*)*=.*",
        r"(a|ab|b)*(a|b){300}c",
    ],
)
def test_an_expression_that_repeats_repetitions_is_searched_for_at_once(expression: str) -> None:
    begun = time.process_time()
    assert ExpressionSearch([expression])("ab" * 10_000) is False
    assert time.process_time() - begun < 2


@pytest.mark.slow
def test_a_search_that_takes_too_much_work_is_given_up() -> None:
    begun = time.process_time()
    with pytest.raises(TooSlow):
        ExpressionSearch([".{0,4000}x.{0,4000}y"])("ab x" * 10_000)
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (r"(a)\1", r"has a reference to a group, such as \1"),
        (r"(a)?(?(1)b|c)", "has a condition on a group"),
        ("(?=a)", "has a look ahead or behind"),
        ("(?<!a)b", "has a look ahead or behind"),
        ("(?>a)", "has an atomic group"),
        ("a++", "has a possessive repetition"),
        ("(", "is not a regular expression"),
        ("(?L)a", "is not a regular expression"),
        ("(" * 4000, "is too complex"),
        ("((a{100}){100}){100}", "has more than 100,000 parts"),
        ("a{99999999999}", "is too complex"),
        ("a" * 5001, "is longer than 5,000 characters"),
    ],
)
@pytest.mark.slow
def test_what_has_no_bounded_search_is_refused_with_what_it_has(expression: str, said: str) -> None:
    with pytest.raises(PatternRefused) as caught:
        searching(expression)
    assert caught.value.message.startswith(said)


def test_a_repetition_of_nothing_is_nothing() -> None:
    assert searching("(?:){999999999}a")("ba")


@pytest.mark.slow
def test_many_words_are_searched_for_within_what_a_search_may_do() -> None:
    words = [f"word{number * number}x" for number in range(1000)]
    search = ExpressionSearch(words, re.IGNORECASE)
    assert not any(search(f"the {word[:-1]} beside number {number}") for number, word in enumerate(words))
    assert search("a WORD64X of them")
