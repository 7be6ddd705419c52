"""A question that stands somewhere word for word is looked up rather than interpreted."""

from pathlib import Path

import pytest

from aicx.types import Document, Part
from indexer.lexical import LexicalSchema, LexicalWriter, analyze_document
from retrieval.analysis import analyze
from retrieval.lexical import LexicalSearcher
from retrieval.params import RankingParams
from retrieval.questions import OneOf, parse_question

SAID = "We retry the upload twice, then give up and keep the torn file for the nightly sweep."


@pytest.fixture
def searcher(tmp_path: Path) -> LexicalSearcher:
    schema = LexicalSchema(("said",), ("project",), ("day",))
    document = Document("a", "1", "", (Part(SAID, 1.0, "said"),), {"project": "ada/orbit", "day": 20260301})

    def terms(text: str) -> tuple[list[str], list[str]]:
        found = analyze(text)
        return found.words, found.names

    LexicalWriter(tmp_path, schema, fresh=True).update([analyze_document(document, terms)], [])
    return LexicalSearcher(tmp_path)


RULES = RankingParams(fields={"said": 1.0})


def holds(searcher: LexicalSearcher, text: str, *where: OneOf) -> bool:
    return searcher.holds(parse_question(text), where, RULES)


def test_a_sentence_is_known_by_its_words_side_by_side(searcher: LexicalSearcher) -> None:
    assert holds(searcher, "give up and keep the torn file for the nightly sweep")


def test_the_same_words_in_another_order_are_another_sentence(searcher: LexicalSearcher) -> None:
    assert not holds(searcher, "keep the nightly file, give up the torn sweep")


def test_a_few_words_side_by_side_are_no_sentence(searcher: LexicalSearcher) -> None:
    assert not holds(searcher, "keep the torn file")


def test_a_sentence_that_the_filters_hide_is_not_there(searcher: LexicalSearcher) -> None:
    sentence = "give up and keep the torn file for the nightly sweep"
    assert not holds(searcher, sentence, OneOf("project", ("bob/api",)))


def test_in_a_lookup_meaning_hardly_counts() -> None:
    assert RULES.weights(lookup=True)["dense"] < 0.1 < RULES.weights(lookup=False)["dense"]
