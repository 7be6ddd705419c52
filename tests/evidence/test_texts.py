"""Sentences out of prose, and text on one line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aicx.evidence.texts import sentences, summary_line
from aicx.text import shorten


def said(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_paragraph_becomes_sentences() -> None:
    assert said("The parser is fixed.\nTests pass now! See `a.b`.") == [
        "The parser is fixed.",
        "Tests pass now!",
        "See `a.b`.",
    ]


def test_abbreviated_path_does_not_end_a_sentence() -> None:
    assert said("Changed src/a.py and b.go as asked.") == ["Changed src/a.py and b.go as asked."]


def test_code_blocks_and_tables_are_left_out() -> None:
    assert said("Before.\n```py\nx = 1. Y = 2.\n```\n| a | b |\n|---|---|\nAfter.") == ["Before.", "After."]


def test_code_block_without_an_end_takes_the_rest_along() -> None:
    assert said("Before.\n```\nx\n\nnot prose. At all.") == ["Before."]


def test_items_stand_under_their_heading() -> None:
    found = list(sentences("## Next steps:\n- Add a test\n1. [ ] Merge it\n"))
    assert [(sentence.text, sentence.heading, sentence.item) for sentence in found] == [
        ("Add a test", "Next steps", True),
        ("Merge it", "Next steps", True),
    ]


def test_line_that_ends_in_a_colon_is_a_heading() -> None:
    assert [(sentence.text, sentence.heading) for sentence in sentences("Remaining work:\n* Docs")] == [
        ("Docs", "Remaining work")
    ]


def test_frames_of_a_traceback_are_left_out_and_its_error_is_kept() -> None:
    python = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    import b\nImportError: no b'
    node = "TypeError: x is undefined\n    at open (/srv/a.js:3:7)\n    at main (/srv/a.js:9:1)"
    assert said(f"Check the release. It fails:\n\n{python}\n\n{node}\n\nWhy?") == [
        "Check the release.",
        "ImportError: no b",
        "TypeError: x is undefined",
        "Why?",
    ]


def test_links_and_emphasis_become_words() -> None:
    assert said("See **[the plan](https://x.org/plan)** and [https://x.org](https://x.org).") == [
        "See the plan and https://x.org."
    ]


def test_directives_to_machines_are_left_out() -> None:
    assert said('Pushed it.\n::git-push{branch="main"}\n<heartbeat>\n<decision>NOTIFY</decision>\n</heartbeat>') == [
        "Pushed it."
    ]


def test_gist_keeps_whole_sentences() -> None:
    assert summary_line("One two three. Four five six. Seven eight nine.", 32) == "One two three. Four five six."


def test_gist_says_what_a_list_is_of() -> None:
    assert summary_line("Changed:\n- the parser\n- the lexer", 80) == "Changed: the parser; the lexer"


def test_text_without_prose_is_shortened_without_its_fences() -> None:
    assert summary_line("```python\nx = 1\n```", 40) == "x = 1"


def test_number_of_an_item_ends_no_sentence() -> None:
    text = "**1. Login Fixed** - It checks the token again\n**12. Docs Added** - In Markdown"
    assert [said.text for said in sentences(text)] == [
        "1. Login Fixed - It checks the token again 12. Docs Added - In Markdown"
    ]


def test_year_may_end_a_sentence() -> None:
    assert [said.text for said in sentences("It was written in 2026. Nobody reads it.")] == [
        "It was written in 2026.",
        "Nobody reads it.",
    ]


def test_redaction_mark_is_never_torn() -> None:
    assert shorten("the token is [REDACTED:github-token] as given", 24) == "the token is…"


@given(st.text(max_size=400), st.integers(min_value=1, max_value=120))
def test_shortened_text_is_one_line_within_its_limit(text: str, limit: int) -> None:
    for line in (shorten(text, limit), summary_line(text, limit)):
        assert len(line) <= limit
        assert len(line.splitlines()) <= 1


@given(st.text(alphabet="`~-*#|:.<>[]()!\n ab", max_size=300))
def test_no_text_breaks_the_sentences(text: str) -> None:
    assert all(sentence.text.strip() and "\n" not in sentence.text for sentence in sentences(text))
