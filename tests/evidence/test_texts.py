"""Sentences out of prose, and text on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.evidence.texts import sentences, summary_line
from aicx.text import shorten


def said(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(
            "The parser is fixed.\nTests pass now! See `a.b`.",
            ["The parser is fixed.", "Tests pass now!", "See `a.b`."],
            id="a paragraph becomes sentences",
        ),
        pytest.param(
            "Changed src/a.py and b.go as asked.", ["Changed src/a.py and b.go as asked."], id="a path ends no sentence"
        ),
        pytest.param(
            "Before.\n```py\nx = 1. Y = 2.\n```\n| a | b |\n|---|---|\nAfter.",
            ["Before.", "After."],
            id="code and tables are left out",
        ),
        pytest.param("Before.\n```\nx\n\nnot prose. At all.", ["Before."], id="a block without an end takes the rest"),
        pytest.param(
            "See **[the plan](https://x.org/plan)** and [https://x.org](https://x.org).",
            ["See the plan and https://x.org."],
            id="links and emphasis become words",
        ),
        pytest.param(
            'Pushed it.\n::git-push{branch="main"}\n<heartbeat>\n<decision>NOTIFY</decision>\n</heartbeat>',
            ["Pushed it."],
            id="directives to machines are left out",
        ),
        pytest.param(
            "**1. Login Fixed** - It checks the token again\n**12. Docs Added** - In Markdown",
            ["1. Login Fixed - It checks the token again 12. Docs Added - In Markdown"],
            id="the number of an item ends no sentence",
        ),
        pytest.param(
            "It was written in 2026. Nobody reads it.",
            ["It was written in 2026.", "Nobody reads it."],
            id="a year may end one",
        ),
    ],
)
def test_sentences_are_taken_out_of_prose(text: str, found: list[str]) -> None:
    assert said(text) == found


@pytest.mark.parametrize(
    ("text", "limit", "gist"),
    [
        ("One two three. Four five six. Seven eight nine.", 32, "One two three. Four five six."),
        ("Changed:\n- the parser\n- the lexer", 80, "Changed: the parser; the lexer"),
        ("The key is kept now. However, its folder still is not.", 44, "The key is kept now. However, its folder…"),
        ("It is told.\n\nI changed it to say:\n```\nx\n```\nand to fail.\n\nIt ends.", 80, "It is told. It ends."),
        ("```python\nx = 1\n```", 40, "x = 1"),  # without prose, it is shortened without its fences
    ],
)
def test_gist_keeps_whole_sentences_and_lists(text: str, limit: int, gist: str) -> None:
    assert summary_line(text, limit) == gist


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
