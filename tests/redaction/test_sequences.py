"""Secrets next to, behind and around what a terminal obeys: real sequences, and those written out in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.redaction import redact, redact_plain
from tests.corpus.builders import chunks_of, draft, drafts_of, entry, tool_entry
from tests.redaction.tokens import make

TOKENS = {kind: make(kind, "sequences")[0] for kind in ("ghp", "anthropic", "akia", "glpat", "aiza")}
GHP = TOKENS["ghp"]

REAL = [
    "\x1b[K",
    "\x1b[01;31m\x1b[K",
    "\x1b[m\x1b[K",
    "\x1b[2K",
    "\x1b[G",
    "\x1b[?25h",
    "\x1b(B",
    "\x1b7",
    "\x1bc",
    "\x1b]0;title\x07",
    "\x1b]8;;https://example.org/a\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x9b31m",
    "\b",
    "\x07",
    "\x85",
    "\u202e",
    "\u2066",
]
WRITTEN = [
    r"\u001b[K",
    r"\u001B[01;31m",
    r"\\u001b[0m",
    r"\u{1b}[31m",
    r"\x1b[K",
    r"\x1b[?25h",
    r"\033[K",
    r"\033(B",
    r"\e[1;31m",
    r"\e]8;;https://example.org/a\a",
    "^[[K",
    "^[[01;31m",
    "^[]0;title^G",
]


def leaks(secret: str, text: str) -> bool:
    """Whether ten signs of the token's body in a row can be read in ``text``."""
    body = secret[-min(len(secret), 16) :]
    return any(body[at : at + 10] in text for at in range(len(body) - 9))


@pytest.mark.parametrize("sequence", [*REAL, *WRITTEN], ids=ascii)
@pytest.mark.parametrize("kind", TOKENS)
def test_a_token_behind_a_sequence_is_redacted(kind: str, sequence: str) -> None:
    assert not leaks(TOKENS[kind], redact_plain(f"deploy {sequence}{TOKENS[kind]}{sequence} key").text)


@pytest.mark.parametrize("sequence", [*REAL, *WRITTEN], ids=ascii)
def test_a_sequence_between_a_word_and_a_token_does_not_join_them(sequence: str) -> None:
    assert not leaks(GHP, redact_plain(f"key{sequence}{GHP}").text)


@pytest.mark.parametrize("sequence", [*REAL, *WRITTEN], ids=ascii)
@pytest.mark.parametrize("at", [2, 12, 25])
def test_a_token_with_a_sequence_inside_is_redacted_whole(at: int, sequence: str) -> None:
    cut = f"{GHP[:at]}{sequence}{GHP[at:]}"
    assert redact_plain(f"a {cut} z").text == "a [REDACTED:github-token] z"


@pytest.mark.parametrize("sequence", REAL, ids=ascii)
def test_a_real_sequence_is_not_stored(sequence: str) -> None:
    assert draft(f"red{sequence} alert").body == b"red alert"


@pytest.mark.parametrize("sequence", WRITTEN, ids=ascii)
def test_a_sequence_written_out_stays(sequence: str) -> None:
    text = f"printf '{sequence}red{sequence}'; echo {sequence}"
    assert draft(text).body.decode() == text


def test_a_sequence_written_out_before_a_token_stays() -> None:
    assert redact(rf"\033[31m{GHP}\033[0m").text == r"\033[31m[REDACTED:github-token]\033[0m"


@pytest.mark.parametrize("before", ["\x1b", "\x1b[", "\x1b[31", "\x1b(", "\x9b", "\x1b]"], ids=ascii)
def test_half_a_sequence_leaves_the_mark_of_a_redaction_whole(before: str) -> None:
    assert redact_plain(f"{before}[REDACTED:github-token] rest").text.endswith("[REDACTED:github-token] rest")


def test_an_escape_does_not_take_the_first_letter_of_a_token() -> None:
    assert redact_plain(f"\x1b{TOKENS['akia']}").text == "[REDACTED:aws-access-key-id]"


def test_a_secret_is_counted_once() -> None:
    assert redact_plain(f"\x1b[K{GHP}\x1b[m").counts == {"github-token": 1}


def test_what_stands_around_a_coloured_password_stays() -> None:
    assert redact_plain("a PASSWORD=\x1b[31mhunter2trombone\x1b[0m z").text == "a PASSWORD=[REDACTED:password] z"


@given(
    st.sampled_from(sorted(TOKENS.values())),
    st.lists(st.sampled_from([*REAL, *WRITTEN]), min_size=1, max_size=4).map("".join),
    st.lists(st.sampled_from([*REAL, *WRITTEN]), max_size=4).map("".join),
    st.sampled_from(["", "x", "key ", "a: "]),
)
def test_no_token_between_sequences_reaches_a_chunk(token: str, before: str, behind: str, word: str) -> None:
    said = drafts_of([entry(f"{word}{before}{token}{behind}")], redact)
    assert not leaks(token, said[0].body.decode())


@given(st.lists(st.sampled_from([*REAL, *WRITTEN, "\x1b", "[", "m", GHP, " ", "key="]), max_size=12).map("".join))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact_plain(text).text
    assert redact_plain(once).text == once


def test_a_tool_named_by_a_log_brings_no_sequence_into_a_heading() -> None:
    chunk = chunks_of([tool_entry("x", name="Ba\x1b[2Jsh"), entry("hm", 1, branch="ma\x1b[31min")])[0]
    assert (b"tool \xc2\xb7 Bash" in chunk.markdown, b"branch main" in chunk.markdown) == (True, True)
