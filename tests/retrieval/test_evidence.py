"""How much of a question stands together in one passage."""

from __future__ import annotations

import pytest

from retrieval.evidence import ENOUGH, Occurrences, share_together, units_of
from retrieval.questions import parse_question


def occurrences(question: str, *counts: int, documents: int = 100) -> Occurrences:
    return Occurrences(units_of(parse_question(question)), counts, documents)


FAR = "nothing of note here, only filler text. " * 20


def test_words_in_one_sentence_stand_together() -> None:
    asked = occurrences("gasket pressure", 5, 5)
    assert share_together(asked, ["The gaskets burst under pressure."]) == 1.0


def test_words_far_apart_do_not() -> None:
    asked = occurrences("gasket pressure", 5, 5)
    assert share_together(asked, [f"The gasket is red. {FAR} The pressure is high."]) == pytest.approx(0.5)


def test_a_missing_word_counts_by_its_rarity() -> None:
    asked = occurrences("rotate kubernetes", 60, 0)
    assert share_together(asked, ["rotate the log, rotate the key"]) < 0.2
    assert asked.missing == ("kubernetes",)


def test_common_words_count_little() -> None:
    asked = occurrences("gasket fix", 2, 80)
    assert share_together(asked, ["the gasket again"]) > ENOUGH > share_together(asked, ["another fix"])


@pytest.mark.parametrize("text", ["we chose MongoDB", "we chose mongodb", "we chose mongo db"])
def test_a_name_is_there_in_each_of_its_forms(text: str) -> None:
    assert share_together(occurrences("MongoDB", 1), [text]) == 1.0


def test_a_name_is_not_there_by_its_words_apart() -> None:
    assert share_together(occurrences("MongoDB", 1), ["the db of mongo"]) == 0.0


def test_a_path_is_there_by_its_file_name() -> None:
    assert share_together(occurrences("src/app/parser.py", 1), ["see parser.py for it"]) == 1.0


def test_no_word_that_tells_leaves_nothing() -> None:
    assert not occurrences("work zeppelin", 90, 0).telling
    assert occurrences("work zeppelin", 90, 1).telling
    assert occurrences("work", 90).telling  # there is nothing else to go by
    assert occurrences("work zeppelin", 9, 0, documents=9).telling  # so few documents may all be about work


def test_of_a_run_without_spaces_all_has_to_be_missing() -> None:
    assert occurrences("移行失敗", 0, 0, 3).missing == ()
    assert occurrences("移行失敗", 0, 0, 0).missing == ("移行失敗",)


def test_grammar_alone_is_not_looked_for_pair_by_pair() -> None:
    assert len(units_of(parse_question("移行しました"))) == 2  # 移行 and 行し; the rest is hiragana
