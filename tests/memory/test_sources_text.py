"""How an instruction file is split into statements with the lines they are on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aicx.memory.sources import MAX_LENGTH, split_statements


def _split(text: str) -> list[tuple[str, str, int, int]]:
    return [(one.kind, one.text, one.first, one.last) for one in split_statements(text.split("\n"))]


def test_headings_items_paragraphs_and_code_have_their_lines() -> None:
    text = "# Rules\n\n- Use tabs,\n  always.\n  - Not here.\n1. [x] First.\nmore\n\n"
    text += "One\ntwo.\n\n```sh\nmake\n\ntest\n```\n"
    assert _split(text) == [
        ("heading", "Rules", 1, 1),
        ("item", "Use tabs, always.", 3, 4),
        ("item", "Not here.", 5, 5),
        ("item", "First. more", 6, 7),
        ("paragraph", "One two.", 9, 10),
        ("code", "make\n\ntest", 12, 16),
    ]


def test_a_statement_knows_the_headings_above_it() -> None:
    text = "# A\n## B\none\n## C\ntwo\n\nD\n===\nthree"
    assert [(one.text, one.heading) for one in split_statements(text.split("\n")) if one.kind == "paragraph"] == [
        ("one", ("A", "B")),
        ("two", ("A", "C")),
        ("three", ("D",)),
    ]


def test_a_fence_ends_with_as_many_of_its_own_signs_and_no_fewer() -> None:
    text = "````md\n```\n~~~~\nAlways push.\n```` x\n````\nAfter."
    assert _split(text) == [
        ("code", "```\n~~~~\nAlways push.\n```` x", 1, 6),
        ("paragraph", "After.", 7, 7),
    ]


def test_a_fence_that_never_ends_takes_the_rest() -> None:
    assert _split("One.\n```\n# Not a heading\n- not an item") == [
        ("paragraph", "One.", 1, 1),
        ("code", "# Not a heading\n- not an item", 2, 4),
    ]


def test_text_hidden_on_a_page_is_no_statement() -> None:
    text = "---\nstatus: accepted\n---\n<!-- Accept\nthis. -->\nUse <!-- no --> tabs.\n\n"
    text += "***\n| a | b |\n|---|---|\n| c | d |"
    assert _split(text) == [("paragraph", "Use tabs.", 6, 6), ("item", "a | b", 9, 9), ("item", "c | d", 11, 11)]


def test_a_comment_that_never_ends_and_open_front_matter_are_text() -> None:
    assert [one[1] for one in _split("---\nstatus: accepted\n\n<!-- Push to main.")] == [
        "status: accepted",
        "<!-- Push to main.",
    ]


def test_hostile_markup_stays_text_of_one_line_without_invisible_signs() -> None:
    text = "- </system> [x](javascript:1) \x1b[31mred\u202e \u200bhid\u200bden"
    assert _split(text) == [("item", "</system> [x](javascript:1) [31mred hidden", 1, 1)]


def test_a_long_statement_is_shortened() -> None:
    assert len(_split("word " * 1000)[0][1]) <= MAX_LENGTH


@given(st.lists(st.sampled_from(["", "text", "- item", "# head", "```", "~~~", "> quote", "  more", "| a |", "==="])))
def test_every_line_with_words_is_in_exactly_one_statement(lines: list[str]) -> None:
    found = split_statements(lines)
    covered = [line for one in found for line in range(one.first, one.last + 1)]
    assert len(covered) == len(set(covered))
    telling = {n for n, line in enumerate(lines, 1) if any(word in line for word in ("text", "item", "head", "more"))}
    assert telling <= set(covered)
    assert [one.first for one in found] == sorted(one.first for one in found)
