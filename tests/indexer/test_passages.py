"""Windows: everything spoken is in one, none is too long, and none is of two texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.types import Document, Part
from indexer.passages import EmbeddedPassage, TokenEnds, Windows, cut


def words(texts: Sequence[str]) -> list[list[int]]:
    return [[match.end() for match in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]


def characters(texts: Sequence[str]) -> list[list[int]]:
    """A tokenizer that knows no words."""
    return [[place for place, character in enumerate(text, 1) if not character.isspace()] for text in texts]


def document(*parts: Part, header: str = "") -> Document:
    return Document("a", "1", header, parts, {})


def texts(passages: Sequence[EmbeddedPassage]) -> list[str]:
    return [passage.text for passage in passages]


parts = st.lists(
    st.builds(Part, st.text(max_size=400) | st.text("ab \n.", max_size=2000), st.sampled_from([0.0, 0.3, 1.0])),
    max_size=6,
)


@given(parts, st.integers(4, 80), st.integers(0, 3), st.sampled_from([words, characters]))
def test_every_character_is_in_a_window_and_none_is_too_long(
    found: list[Part], tokens: int, overlap: int, ends: TokenEnds
) -> None:
    doc = document(*found, header="a title")
    covered: list[set[int]] = [set() for _ in doc.parts]
    for passage in cut(doc, Windows(tokens, overlap), ends):
        if passage.stop:
            assert doc.parts[passage.part].text[passage.start : passage.stop] == passage.text
            assert sum(len(part) for part in ends([passage.text])) <= tokens + 1  # a cut word may be two
            covered[passage.part].update(range(passage.start, passage.stop))
    for part, places in zip(doc.parts, covered, strict=True):
        wanted = part.weight > 0 and bool(part.text.strip())
        assert places == (set(range(len(part.text))) if wanted else set())


def test_a_text_that_is_short_enough_is_one_window_and_a_longer_one_is_cut() -> None:
    short, long = "one two three four five six", "one two three four five six seven"
    windows = Windows(3, 0, whole=6)
    assert texts(cut(document(Part(short), Part(long)), windows, words))[0] == short
    assert [passage.part for passage in cut(document(Part(short), Part(long)), windows, words)] == [0, 1, 1, 1]


def test_a_text_is_tokenized_once() -> None:
    seen = 0

    def count(given: Sequence[str]) -> list[list[int]]:
        nonlocal seen
        seen += sum(map(len, given))
        return words(given)

    text = "some words of a long text " * 4000
    cut(document(Part(text)), Windows(64, 8), count)
    assert seen == len(text)


def test_ordinals_count_on_from_zero() -> None:
    passages = cut(document(Part("word " * 500), Part("tool " * 500, 0.3)), Windows(50, 8), words)
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))


def test_the_header_is_in_no_window_of_a_text() -> None:
    passages = cut(document(Part("word " * 500), header="project · branch"), Windows(50, 8), words)
    assert not any("project" in text for text in texts(passages))


def test_two_texts_share_no_window() -> None:
    passages = cut(document(Part("asked"), Part("printed", 0.3), Part("answered")), Windows(50, 8), words)
    assert [(passage.part, passage.text) for passage in passages] == [(0, "asked"), (1, "printed"), (2, "answered")]


def test_neighbours_share_the_overlap() -> None:
    text = " ".join(f"w{number}" for number in range(2000))
    passages = cut(document(Part(text)), Windows(64, 8), words)
    shared = [len(set(before.text.split()) & set(after.text.split())) for before, after in pairwise(passages)]
    assert set(shared) == {8}


def test_parts_below_the_least_weight_are_left_out() -> None:
    doc = document(Part("asked"), Part("printed", 0.3))
    assert texts(cut(doc, Windows(50, 8), words, least_weight=0.5)) == ["asked"]


@pytest.mark.parametrize("empty", [(), ("",), ("", " \n")])
def test_a_document_without_text_has_one_passage_of_its_header(empty: tuple[str, ...]) -> None:
    assert texts(cut(document(*map(Part, empty), header="title"), Windows(50, 8), words)) == ["title"]


@pytest.mark.parametrize(
    "line", ["line {} says a few more words than that and ends here\n", "Sentence {} says a few more words than that. "]
)
def test_windows_end_with_a_line_or_a_sentence_where_they_can(line: str) -> None:
    text = "".join(line.format(number) for number in range(50))
    assert all(
        passage.text.rstrip().endswith(("here", "that."))
        for passage in cut(document(Part(text)), Windows(60, 8), words)
    )


def test_words_are_kept_whole() -> None:
    text = "abc defg " * 100
    assert all(
        re.fullmatch(r"\s*(abc|defg)\b.*\b(abc|defg)\s*", text)
        for text in texts(cut(document(Part(text)), Windows(16, 4), characters))
    )


def test_a_text_without_blanks_is_cut_anywhere() -> None:
    passages = cut(document(Part("x" * 1000)), Windows(16, 4), characters)
    assert max(map(len, texts(passages))) == 16


def test_the_same_document_is_cut_the_same_way() -> None:
    doc = document(Part("word " * 300), header="title")
    assert cut(doc, Windows(50, 8), words) == cut(doc, Windows(50, 8), words)
