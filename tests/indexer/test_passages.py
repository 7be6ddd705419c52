"""Passages: everything is in one, and none is too long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.types import Document, Part
from indexer.passages import CountTokens, Passage, cut


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def count_bytes(texts: Sequence[str]) -> list[int]:
    """A tokenizer that knows no words: each byte is a token."""
    return [len(text.encode()) for text in texts]


def count_grudgingly(texts: Sequence[str]) -> list[int]:
    """Sees more in a whole than in its pieces, which no cutter may count on not to happen."""
    return [count + count // 10 for count in count_words(texts)]


def document(*parts: Part, header: str = "") -> Document:
    return Document("a", "1", header, parts, {})


def covered(doc: Document, passages: list[Passage]) -> list[set[int]]:
    """Which characters of each part are in a passage, going by positions."""
    found: list[set[int]] = [set() for _ in doc.parts]
    for passage in passages:
        if passage.start == passage.stop:
            continue
        for number in range(passage.start.part, passage.stop.part + 1):
            part = doc.parts[number]
            if part.weight == passage.weight:
                low = passage.start.character if number == passage.start.part else 0
                high = passage.stop.character if number == passage.stop.part else len(part.text)
                assert part.text[low:high] in passage.text
                found[number].update(range(low, high))
    return found


parts = st.lists(
    st.builds(Part, st.text(max_size=400) | st.text("ab \n", max_size=2000), st.sampled_from([0.0, 0.3, 1.0])),
    max_size=6,
)


@given(parts, st.text(max_size=80), st.integers(16, 80), st.sampled_from([count_words, count_bytes, count_grudgingly]))
def test_every_character_is_in_a_passage_and_none_is_too_long(
    texts: list[Part], header: str, limit: int, count: CountTokens
) -> None:
    doc = document(*texts, header=header)
    passages = cut(doc, limit, count)
    assert max(count([passage.text for passage in passages])) <= limit
    for part, characters in zip(doc.parts, covered(doc, passages), strict=True):
        assert len(characters) == (len(part.text) if part.weight > 0 else 0)


def test_each_text_is_counted_a_bounded_number_of_times() -> None:
    seen = 0

    def count(texts: Sequence[str]) -> list[int]:
        nonlocal seen
        seen += sum(map(len, texts))
        return count_words(texts)

    text = "some words of a long text " * 4000
    cut(document(Part(text)), 250, count)
    assert seen < 3 * len(text)


def test_ordinals_count_on_from_zero() -> None:
    passages = cut(document(Part("word " * 500), Part("tool " * 500, 0.3)), 50, count_words)
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))


def test_a_header_stands_before_every_passage() -> None:
    passages = cut(document(Part("word " * 500), header="project · branch"), 50, count_words)
    assert len(passages) > 5
    assert all(passage.text.startswith("project · branch\n") for passage in passages)


def test_a_long_header_takes_no_more_than_a_quarter() -> None:
    passages = cut(document(Part("word " * 500), header="title " * 100), 48, count_words)
    assert [passage.text.count("title") for passage in passages] == [12] * len(passages)


def test_a_header_of_one_endless_word_is_left_out() -> None:
    passages = cut(document(Part("text"), header="x" * 500), 32, count_bytes)
    assert [passage.text for passage in passages] == ["text"]


def test_neighbours_share_about_a_tenth() -> None:
    text = " ".join(f"w{number}" for number in range(2000))
    passages = cut(document(Part(text)), 200, count_words)
    shared = [len(set(before.text.split()) & set(after.text.split())) for before, after in pairwise(passages)]
    assert all(5 <= count <= 22 for count in shared)


def test_parts_of_one_weight_share_a_passage_and_others_do_not() -> None:
    passages = cut(document(Part("asked"), Part("printed", 0.3), Part("answered")), 50, count_words)
    assert [(passage.text, passage.weight) for passage in passages] == [("asked\nanswered", 1.0), ("printed", 0.3)]


def test_parts_below_the_least_weight_are_left_out() -> None:
    doc = document(Part("asked"), Part("printed", 0.3))
    assert [passage.text for passage in cut(doc, 50, count_words, least_weight=0.5)] == ["asked"]


@pytest.mark.parametrize("texts", [(), ("",), ("", "")])
def test_a_document_without_text_has_one_passage_of_its_header(texts: tuple[str, ...]) -> None:
    passages = cut(document(*map(Part, texts), header="title"), 50, count_words)
    assert [passage.text for passage in passages] == ["title"]


def test_lines_are_kept_whole_where_they_are_short() -> None:
    text = "".join(f"line {number} says a few more words than that and ends here\n" for number in range(50))
    passages = cut(document(Part(text)), 60, count_words)
    assert all(passage.text.endswith("\n") for passage in passages)


def test_the_same_document_is_cut_the_same_way() -> None:
    doc = document(Part("word " * 300), header="title")
    assert cut(doc, 50, count_words) == cut(doc, 50, count_words)
