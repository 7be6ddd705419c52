"""Numbers that are part of what a question names, and texts that have them or only seem to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.evidence import lacking, numbers_of


@pytest.mark.parametrize(
    ("question", "typed"),
    [
        ("when did we drop python 2 support", ["python 2"]),
        ("plan of phase 14", ["phase 14"]),
        ("what broke in #188", ["#188"]),
        ("issue 7340 investigation", ["issue 7340"]),
        ("release of v2.3", ["v2.3"]),
        ("update go from 1.25.5 to 1.25.6", ["1.25.5", "1.25.6"]),
    ],
)
def test_numbers_beside_names_are_part_of_what_is_asked(question: str, typed: list[str]) -> None:
    assert [typed for typed, _ in numbers_of(question)] == typed


@pytest.mark.parametrize("question", ["fix 3 bugs", "two runs with 2 workers", "add 2 more", "utf8 and a100"])
def test_how_many_of_something_is_no_name(question: str) -> None:
    assert numbers_of(question) == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("python 2", "runs on Python2.7 still"),
        ("python 2", "image python:2-slim"),
        ("phase 14", "## Phase-14: rollout"),
        ("#188", "see https://example.org/x/pull/188"),
        ("#188", "fixed in ada/pumps#188."),
        ("issue 188", "closes #188"),
        ("v2.3", "tag 2.3 was cut"),
    ],
)
def test_a_number_is_found_however_it_is_written(question: str, text: str) -> None:
    assert lacking(numbers_of(question), [text]) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("python 2", "FROM python:3.13, step 2 of 4"),
        ("python 2", "python 20"),
        ("phase 14", "Phase 2, 14 tests"),
        ("#188", "#1881 and 188 files"),
        ("v2.3", "1.2.3 and 2.30"),
    ],
)
def test_another_number_beside_the_same_name_is_not_it(question: str, text: str) -> None:
    assert lacking(numbers_of(question), [text]) == [question]


def test_a_pasted_text_is_not_asked_for_its_numbers() -> None:
    assert numbers_of("panic at line 14 " * 20) == ()


@given(st.from_regex(r"[a-z]{3,8}", fullmatch=True), st.integers(0, 999))
def test_a_text_that_repeats_the_question_lacks_nothing(word: str, number: int) -> None:
    question = f"{word} {number}"
    assert lacking(numbers_of(question), [question]) == []
