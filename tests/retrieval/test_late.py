"""Late interaction: what each token of a question counts, and what that makes of an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from retrieval.analysis import Terms
from retrieval.embedders import Tokens
from retrieval.evidence import Occurrences
from retrieval.late import affordable, interactions, most_compared, rerank, standardised, token_weights
from retrieval.ranking import RankedAnswer

pytestmark = pytest.mark.needs("semantic")

WORDS = ["mend", "the", "car", "bread", "oven"]


def tokens(text: str) -> Tokens:
    """A direction of its own for each word."""
    places, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        places.append((at, at + len(word)))
        at += len(word)
    rows = np.eye(len(WORDS), dtype=np.float32)[[WORDS.index(word) for word in text.split()]]
    return Tokens(rows.reshape(-1, len(WORDS)), [start for start, _ in places], [stop for _, stop in places])


def embed(texts: Sequence[str]) -> list[Tokens]:
    return [tokens(text) for text in texts]


def unit(word: str) -> Terms:
    return Terms([word], typed=word)


ASKED = "mend the car"
SEEN = Occurrences((unit("mend"), unit("car")), (1, 50), 100)


def test_a_token_counts_what_its_word_tells_and_a_stop_word_nothing():
    mend, the, car = token_weights(ASKED, tokens(ASKED), SEEN)
    assert (the, mend > car > 0) == (0.0, True)


def test_the_pieces_of_a_word_share_what_it_tells():
    pieces = Tokens(np.zeros((2, 5)), [0, 2], [2, 4])
    first, second = token_weights("mend", pieces, SEEN)
    assert first == second == pytest.approx(SEEN.weights[0] / 2)


def test_all_tokens_count_alike_where_nothing_is_known_of_their_words():
    assert token_weights(ASKED, tokens(ASKED), None) == [1.0, 1.0, 1.0]


def test_each_token_takes_its_best_cosine():
    assert interactions(tokens(ASKED), [1.0, 0.0, 3.0], embed(["the car", "bread", ""])) == pytest.approx([0.75, 0, 0])


def test_values_of_one_height_say_nothing():
    assert standardised([2.0, 2.0]) == [0.0, 0.0]
    assert standardised([1.0, 3.0]) == [-1.0, 1.0]


def answers(*groups: str) -> list[RankedAnswer]:
    return [RankedAnswer(group, group, 9.0 - place / 10, {}) for place, group in enumerate(groups)]


def test_what_has_the_words_of_the_question_comes_first_and_says_why():
    passages = {"a": "bread oven", "b": "mend the car"}
    found, compared = rerank(answers("a", "b", "c"), passages, (ASKED, tokens(ASKED)), embed, SEEN, 0.6)
    assert ([answer.group for answer in found], compared) == (["b", "c", "a"], 2)
    assert found[0].score == pytest.approx(8.9 + 0.6)
    assert found[0].votes["rerank"].rank == 1


def test_an_answer_without_a_passage_keeps_its_score():
    passages = {"a": "bread", "c": "mend", "b": " "}
    found, _ = rerank(answers("a", "b", "c"), passages, (ASKED, tokens(ASKED)), embed, SEEN, 0.6)
    assert {answer.group: answer.score for answer in found}["b"] == 8.9


def test_one_passage_is_nothing_to_compare():
    before = answers("a", "b")
    assert rerank(before, {"a": "mend"}, (ASKED, tokens(ASKED)), embed, SEEN, 0.6) == (before, 0)


def passages(number: int, length: int) -> Iterator[tuple[str, str]]:
    return ((f"s{place}", "x" * length) for place in range(number))


@pytest.mark.parametrize(
    ("length", "compared"), [(512, 10), (384, 10), (192, 20), (20, 50)], ids=["longest", "usual", "half", "short"]
)
def test_short_passages_are_compared_in_the_time_of_long_ones(length: int, compared: int) -> None:
    assert len(affordable(passages(90, length), 10, "contextual")) == compared


def test_a_static_model_compares_five_times_as_many() -> None:
    assert len(affordable(passages(90, 512), 10, "static")) == 50


def test_no_more_passages_are_read_than_are_compared() -> None:
    left = passages(90, 512)
    affordable(left, 2, "contextual")
    assert next(left)[0] == "s3"


def test_none_is_compared_where_none_is_asked_for() -> None:
    assert (affordable(passages(9, 5), 0, "contextual"), most_compared(0)) == ({}, 0)
