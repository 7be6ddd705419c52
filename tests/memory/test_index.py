"""The index of records is derived: deleted, damaged, busy or old, it changes no answer."""

from __future__ import annotations

import sqlite3
import time
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from aicx.memory import events, index
from aicx.memory.events import Standing

RULE = "Exports need an authorisation check"


@pytest.fixture
def agreed(place):
    """A record that was accepted, and an index that knows it."""
    ref = place.accepted(RULE)
    time.sleep(0.1)  # what is younger is not kept
    assert place.baseline() == {ref}
    return place, ref, place.home / "index" / "memory.sqlite"


def test_unchanged_files_are_not_read_again(agreed, monkeypatch):
    place, ref, _ = agreed

    def never(memory, path):
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(index, "read_files", never)
    assert place.baseline() == {ref}


def test_of_many_decisions_only_those_that_are_asked_for_are_read(monkeypatch):
    now = datetime(2026, 1, 2, tzinfo=UTC)
    decided = {f"{at:04x}": Standing(str(at), "Ada", now, replaced_by={str(at)}) for at in range(1000)}
    decided["0007"].claims = {"one": "two"}
    kept = events.Decisions.unpack(events.Decisions.of(decided, [3]).pack())
    read = []
    loads = events.orjson.loads
    monkeypatch.setattr(events, "orjson", SimpleNamespace(loads=lambda text: read.append(text) or loads(text)))
    assert all(kept[name] == decided[name] for name in ("0000", "0007", "03e7"))
    assert [kept.get(name) for name in ("", "0007x", "ffff")] == [None, None, None]
    assert len(read) == 3
    assert (list(kept), len(kept), kept.damaged, kept.claiming) == ([*decided], 1000, [3], {"0007"})


@pytest.mark.parametrize("body", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_index_is_made_again(agreed, body):
    place, ref, file = agreed
    file.write_bytes(body)
    assert place.baseline() == {ref}
    assert place.baseline() == {ref}
    db = sqlite3.connect(file)
    assert db.execute("SELECT count(*) FROM records").fetchone() == (1,)
    db.close()


def test_rows_that_a_damaged_page_shows_twice_or_without_a_path_are_no_records(agreed):
    place, ref, file = agreed
    with sqlite3.connect(file) as db:
        (row,) = db.execute("SELECT * FROM records").fetchall()
        db.execute("ALTER TABLE records RENAME TO sound")
        db.execute("CREATE TABLE records AS SELECT * FROM sound")
        db.executemany(f"INSERT INTO records VALUES({','.join('?' * len(row))})", [row, (None, *row[1:])])
    db.close()
    found = index.RecordIndex(file, place.home / "memory")
    assert [record.ref for record in found.every_record()] == [ref]
    found.close()


def test_an_index_that_another_process_holds_is_left_alone(agreed):
    place, ref, file = agreed
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert place.baseline() == {ref}
    other.execute("ROLLBACK")
    assert other.execute("SELECT count(*) FROM records").fetchone() == (1,)
    other.close()
    assert file.exists()


def test_another_version_reads_every_file_again(agreed, monkeypatch):
    place, ref, file = agreed
    db = sqlite3.connect(file)
    with db:
        db.execute("UPDATE meta SET value='older' WHERE name='version'")
    db.close()
    read = []
    inner = index.read_files
    monkeypatch.setattr(index, "read_files", lambda memory, path: read.append(path) or inner(memory, path))
    assert place.baseline() == {ref}
    assert len(read) == 1


def test_a_change_within_a_tick_of_the_clock_is_noticed(place):
    ref = place.accepted(RULE)
    for text in ("Exports need authorisation checkX", "Exports need authorisation checkY"):
        place.files(ref)[0].write_text(f"{text}\n")
        assert place.entry(ref)["statement"] == text


@pytest.mark.parametrize("name", [b"records", b"compared", b"claiming", b"meta", b"TABLE"])
def test_a_schema_that_is_no_text_is_made_again(agreed, name):
    place, ref, file = agreed
    file.write_bytes(file.read_bytes().replace(name, b"\x80" + name[1:]))
    assert place.baseline() == {ref}
    assert place.baseline() == {ref}


def test_a_late_save_of_another_process_replaces_no_newer_look(agreed):
    place, ref, file = agreed
    with sqlite3.connect(file) as db:
        (before,) = db.execute("SELECT * FROM records").fetchall()
    db.close()
    place("edit", ref, "--statement", "Exports need two checks")
    time.sleep(0.1)
    assert place.entry(ref)["rev"] == 3
    found = index.RecordIndex(file, place.home / "memory")
    with sqlite3.connect(file) as db:
        db.execute(f"INSERT OR REPLACE INTO records VALUES({','.join('?' * len(before))})", before)
    db.close()
    assert [found.record(before[0]).rev, found.every_record()[0].rev] == [3, 3]
    found.close()
    assert place.entry(ref)["rev"] == 3
