"""Quotations of recalled text: nothing inside can end one, and what stands outside cannot be made up."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.servers.mcp.replies import label, line, quoted, readable

TEXTS = st.text() | st.text(alphabet="`~\n >a")


@given(TEXTS)
def test_only_the_last_line_can_close_a_quotation(text: str) -> None:
    first, *inside, last = quoted(text, session="s").split("\n")
    fence = first.partition(" ")[0]
    assert set(fence) == {"`"}
    assert last == fence
    assert all(fence not in written for written in inside)


@given(TEXTS)
def test_a_quotation_holds_every_readable_word(text: str) -> None:
    assert quoted(text).split("\n", 1)[1].split()[:-1] == readable(text).split()


@given(st.text(min_size=1), st.text())
def test_labels_are_one_word_each_and_open_no_fence(session: str, agent: str) -> None:
    head = quoted("said", session=session, agent=agent).split("\n")[0]
    assert re.fullmatch(r"```` quoted-history session=\S+ agent=\S+", head)


def test_what_is_not_known_has_no_label() -> None:
    assert quoted("said", session="s", date=None).startswith("```` quoted-history session=s\n")


@given(st.text())
def test_a_label_has_a_bound(text: str) -> None:
    assert 0 < len(label(text)) <= 120


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("left\u202eright\u200b", "leftright"),
        ("hidden\U000e0041\U000e0042", "hidden"),
        ("tab\tstays", "tab\tstays"),
        ("নমস্কার 👩 🔬", "নমস্কার 👩 🔬"),
        ("a\ufe0fb\U000e01ef", "ab"),
        ("a\u061cb\u180e", "ab"),
        ("a\u115fb\u3164", "ab"),
        ("co\u00adoperate", "cooperate"),
    ],
)
def test_what_only_machines_see_is_taken_out(written: str, read: str) -> None:
    assert readable(written) == read


def test_a_line_stays_a_line() -> None:
    assert line("a\nb\u2029c") == "a b c"


def test_a_label_holds_no_filler() -> None:
    assert label("a\u3164b\uffa0") == "ab"


def test_a_secret_that_only_an_unseen_sign_kept_apart_is_redacted() -> None:
    secret = f"ghp_{'a1B2c3D4' * 5}"[:40]
    assert readable(f"{secret[:20]}\u200b{secret[20:]}") == "[REDACTED:github-token]"
