"""The rules of ranking: what weighs how much, and that each can be switched off."""

from dataclasses import replace

import pytest

from retrieval.params import DEFAULT_PARAMS, FIELDS
from retrieval.questions import parse_question


@pytest.mark.parametrize(
    ("text", "lookup"),
    [
        ("parse_header", True),
        ("src/parser.py", True),
        ("ERR_CONN_REFUSED", True),
        ("EACCES", True),
        ("util::is_version", True),
        ("fooBar src/parser.py", True),
        ("#12-40", True),
        ("parser", False),
        ("where is parse_header", True),  # only stop words beside the name
        ("parse_header fails", False),
        ("why did it fail", False),
        ("the of", False),
        ("", False),
    ],
)
def test_a_question_of_names_only_is_a_lookup(text, lookup):
    assert parse_question(text).is_lookup is lookup


@pytest.mark.parametrize("lookup", [False, True])
def test_words_and_meaning_share_one_whole(lookup):
    weights = DEFAULT_PARAMS.weights(lookup=lookup)
    assert weights["lexical"] + weights["dense"] == pytest.approx(1.0)
    assert weights["scan"] == weights["lexical"]


def test_meaning_counts_less_where_something_is_looked_up():
    assert DEFAULT_PARAMS.weights(lookup=True)["dense"] < DEFAULT_PARAMS.weights(lookup=False)["dense"]


def test_what_was_said_counts_more_than_what_was_thought_or_printed():
    assert FIELDS["said"] > FIELDS["thought"] > FIELDS["tool"] > 0


def test_a_rule_can_be_changed_for_one_question():
    assert replace(DEFAULT_PARAMS, meaning=0.0).weights(lookup=False)["dense"] == 0.0
