from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.repomap.postings import SCHEMA, PostingTable


@pytest.fixture
def table() -> Iterator[PostingTable]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    yield PostingTable(connection)
    connection.close()


def test_added_rows_are_found_after_flush(table: PostingTable) -> None:
    table.add(1, [("press", 7), ("cider", 8)])
    table.add(2, [("press", 9)])
    assert table.read("press") == {}
    table.flush()
    assert table.read("press") == {1: 7, 2: 9}
    assert (table.count("press"), table.count("cider"), table.count("other")) == (2, 1, 0)


def test_a_later_flush_adds_to_an_earlier_one(table: PostingTable) -> None:
    table.add(1, [("press", 7)])
    table.flush()
    table.add(2, [("press", 9)])
    table.flush()
    assert table.read("press") == {1: 7, 2: 9}


def test_a_term_without_files_leaves_the_table(table: PostingTable) -> None:
    table.add(1, [("press", 7)])
    table.flush()
    table.remove(1, ["press"])
    table.flush()
    assert table._connection.execute("SELECT count(*) FROM postings").fetchone() == (0,)


def test_gathering_is_bounded(table: PostingTable) -> None:
    table = PostingTable(table._connection, most_gathered=3)
    for file in range(10):
        table.add(file, [("press", file), ("cider", file)])
    assert table.count("press") >= 8
    table.flush()
    assert table.read("press") == {file: file for file in range(10)}


_VALUES = st.integers(0, 2**32 - 1)
# Ids that look like values, and like the two halves of their neighbours.
_FILES = st.one_of(st.integers(0, 40), st.sampled_from([256, 65536, 2**24, 2**32 - 1]))


_POSTINGS = st.dictionaries(_FILES, st.one_of(_VALUES, _FILES), max_size=30)


@given(_POSTINGS, st.sets(_FILES, max_size=30), _POSTINGS)
@settings(max_examples=100, deadline=None)
@pytest.mark.slow
def test_files_are_removed_and_added_and_no_other_changes(
    files: dict[int, int], removed: set[int], added: dict[int, int]
) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    table = PostingTable(connection)
    for file, value in files.items():
        table.add(file, [("press", value)])
    table.flush()
    kept = {file: value for file, value in files.items() if file not in removed}
    added = {file: value for file, value in added.items() if file not in kept}
    for file in removed:
        table.remove(file, ["press"])
    for file, value in added.items():
        table.add(file, [("press", value)])
    table.flush()
    assert table.read("press") == {**kept, **added}
    assert table.count("press") == len(kept) + len(added)
    connection.close()


def test_terms_that_a_file_keeps_are_not_written_again(table: PostingTable) -> None:
    table.add(1, [("press", 7), ("cider", 8)])
    table.flush()
    before = table._connection.total_changes
    table.remove(1, ["press", "cider"])
    table.add(1, [("press", 7), ("cider", 9)])
    table.flush()
    assert table._connection.total_changes == before + 1
    assert (table.read("press"), table.read("cider")) == ({1: 7}, {1: 9})
