"""When a text is nearly the subject of a commit, and how few lines of a log have to be looked at for that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.git.subjects import NEAR, Subject, near_lines

SUBJECT = "fix(parser): keep the last token of a line (#12)"


@pytest.mark.parametrize(
    "text",
    [
        SUBJECT,
        "Fix(parser): keep the last token of a line",
        "keep the last token of a line",
        "keep last token of a line",
        "feat: keep the last token of a line (#99)",
        "keep the LAST token, of a line!",
    ],
)
def test_a_subject_is_near_without_its_number_its_kind_or_one_word(text: str) -> None:
    assert [name for name, _ in near_lines(f"aaa {SUBJECT}\nbbb Something else\n", text)] == ["aaa"]


@pytest.mark.parametrize(
    "text", ["", "   ", "!?", "token", "keep the token", "the last line of a letter to a friend", "(#12)"]
)
def test_a_text_with_few_words_in_common_is_not_near(text: str) -> None:
    assert not list(near_lines(f"aaa {SUBJECT}\n", text))


def test_two_words_are_near_only_where_they_are_the_whole_subject() -> None:
    assert dict(near_lines("aaa Fix tests\nbbb Fix slow tests\n", "fix tests")) == {"aaa": 1.0}


def test_a_line_that_is_torn_or_has_no_subject_is_no_match() -> None:
    assert not list(near_lines("keep\naaa\n\n keep the\nkeep the last tok", "keep the last token of a line"))


@given(
    st.sets(st.sampled_from("abcdefghij"), min_size=1),
    st.sets(st.sampled_from("abcdefghij"), min_size=1),
    st.booleans(),
)
def test_no_near_subject_is_passed_over_for_want_of_a_telling_word(one: set[str], other: set[str], kind: bool) -> None:
    text, subject = " ".join(sorted(one)), ("fix: " if kind else "") + " ".join(sorted(other))
    near = Subject.of(text).nearness(Subject.of(subject))
    assert dict(near_lines(f"aaa {subject}", text)) == ({"aaa": near} if near >= NEAR else {})
