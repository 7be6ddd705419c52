"""What `aicx forget` takes out of the memory's own indexes, and what it leaves there."""

from __future__ import annotations

import sqlite3

import pytest

pytestmark = pytest.mark.slow

RULE = "Exports need a xylophone check"


@pytest.fixture
def asked(place):
    """Two records, both in the table that recall asks."""
    refs = place.accepted(RULE), place.accepted("Builds use ninja")
    place("recall", "xylophone ninja")
    return refs


def rows(place):
    with sqlite3.connect(place.home / "index" / "memory-recall.sqlite") as db:
        return dict(db.execute("SELECT path, number FROM documents").fetchall())


def in_index(place, word):
    return [file.name for file in (place.home / "index").rglob("*") if file.is_file() and word in file.read_bytes()]


def test_forgetting_a_pattern_takes_only_its_rows_from_the_table_of_recall(place, asked):
    left = asked[1]
    before = rows(place)
    assert len(before) == 2
    assert place.run("forget", "--pattern", "xylophone", "--yes")[0] == 0
    assert rows(place) == {path: number for path, number in before.items() if left[4:] in path}
    assert in_index(place, b"xylophon") == []


def test_words_before_an_edit_by_hand_are_forgotten_too(place):
    ref = place.put(RULE, "--name", "checks")
    place("recall", "xylophone")
    place.files(ref)[0].write_text("Exports need a check\n")
    place("put", "The xylophone is out of tune")
    assert place.run("forget", "--pattern", "xylophone", "--yes")[0] == 0
    assert place.entry(ref)["statement"] == "Exports need a check"
    assert in_index(place, b"xylophon") == []


def test_a_file_that_is_named_after_a_forgotten_word_goes_too(place):
    ref = place.put(RULE)
    place.files(ref)[0].write_text("Exports need a check\n")
    assert place.run("forget", "--pattern", "xylophone", "--yes")[0] == 0
    assert not list(place.home.glob("memory/*/*/*xylophone*"))


def test_the_name_of_a_repository_is_no_word_of_its_records(place, asked):
    place.run("forget", "--pattern", "widgets", "--yes")
    assert place.baseline() == set(asked)


def test_a_file_whose_name_no_record_has_is_forgotten_and_stops_no_writer(place, asked):
    odd = place.files(asked[0])[0].with_name("xylophone\nof.md")
    odd.write_text("xylophone")
    assert "not a path" in place.refused("delete", next(ref for ref in place.assessed() if ref not in asked), "--yes")
    assert place.run("forget", "--pattern", "xylophone", "--yes")[0] == 0
    assert not odd.exists()
    place.accepted("The next one")


def test_the_name_of_a_forgotten_repository_is_in_no_index(place, asked):
    assert in_index(place, b"acme/widgets") != []
    assert place.run("forget", "--project", "acme/widgets", "--yes")[0] == 0
    assert in_index(place, b"acme/widgets") == []
