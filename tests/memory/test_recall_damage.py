"""The table that recall asks is derived: damaged in any way it is named and made anew, and gives no trust."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aicx.memory.recall.asking import RecallQuery
from aicx.memory.recall.run import Recaller
from tests.kept import Kept
from tests.memory.builders import Place

pytestmark = pytest.mark.slow

EXPORTS = "Exports are signed with the lion key"


@pytest.fixture
def asked(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Place, set[str], bytes]:
    """Twelve agreed records and a candidate, and the table that recall made of them."""

    def fill() -> None:
        place = Place(kept.folder, monkeypatch, capsys)
        for number in range(12):
            place.accepted(f"{EXPORTS} in region {number}")
        place.put(f"{EXPORTS} nowhere")

    kept.again(fill)
    place = Place(kept.folder, monkeypatch, capsys)
    time.sleep(0.1)  # what folders are like that are younger is not kept
    answer = place("recall", "exports signed", "--limit", "40")
    assert len(answer["baseline"]) == 12
    return place, set(answer["baseline"]), place.settings.layout.memory_recall.read_bytes()


def baseline(place: Place) -> set[str]:
    with Recaller(place.settings) as recaller:
        query = RecallQuery("exports signed key", datetime.now(UTC), recaller.scope(place.repo), limit=40)
        return set(recaller.recall(query).baseline)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flips=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(1, 255)), min_size=1, max_size=4))
def test_random_bytes_in_the_table_stop_nothing_and_give_no_trust(
    asked: tuple[Place, set[str], bytes], flips: list[tuple[int, int]]
) -> None:
    place, refs, body = asked
    damaged = bytearray(body)
    for at, bits in flips:
        damaged[at % len(body)] ^= bits
    place.settings.layout.memory_recall.write_bytes(damaged)
    assert baseline(place) <= refs


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE documents SET path=NULL",
        "UPDATE postings SET entries='text'",
        "UPDATE postings SET entries=x'ff'",
        "ALTER TABLE documents RENAME COLUMN place TO plase",
    ],
)
def test_values_that_do_not_fit_are_named_and_the_table_is_made_anew(
    asked: tuple[Place, set[str], bytes], damage: str
) -> None:
    place, refs, _ = asked
    with sqlite3.connect(place.settings.layout.memory_recall) as db:
        db.execute(damage)
    db.close()
    answer = place("recall", "exports signed key", "--limit", "40")
    assert set(answer["baseline"]) == refs
    assert [one["lane"] for one in answer["degraded"]] == ["lexical"]
    assert place("recall", "exports signed key")["degraded"] == []


@pytest.mark.parametrize("name", ["documents", "postings", "vectors"])
def test_a_file_that_lacks_a_table_is_made_anew(asked: tuple[Place, set[str], bytes], name: str) -> None:
    place, refs, _ = asked
    path = place.settings.layout.memory_recall
    with sqlite3.connect(path) as db:
        db.execute(f"DROP TABLE {name}")
    db.close()
    assert baseline(place) == refs
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM documents").fetchone() == (len(refs) + 1,)
        assert db.execute("SELECT 1 FROM sqlite_master WHERE name=?", (name,)).fetchone() == (1,)
    db.close()


@pytest.mark.parametrize("change", [lambda body: body[:-1] + b"}", lambda body: "text", lambda body: None])
def test_a_kept_look_counts_only_whole(asked: tuple[Place, set[str], bytes], change: Callable[[bytes], Any]) -> None:
    place, refs, _ = asked
    with sqlite3.connect(place.settings.layout.memory_recall) as db:
        rows = db.execute("SELECT name, value FROM meta WHERE name<>'version'").fetchall()
        assert {name.partition(" ")[0] for name, _ in rows} == {"looked", "scope"}
        db.executemany("UPDATE meta SET value=? WHERE name=?", [(change(value), name) for name, value in rows])
    db.close()
    assert baseline(place) == refs


def test_a_table_damaged_inside_is_made_anew(asked: tuple[Place, set[str], bytes]) -> None:
    place, refs, body = asked
    place.settings.layout.memory_recall.write_bytes(body[:4096] + bytes(byte ^ 0x5A for byte in body[4096:]))
    assert set(place("recall", "exports signed", "--limit", "40")["baseline"]) == refs


def test_a_repository_in_a_folder_whose_name_is_no_text_has_a_memory(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.fsdecode(os.fsencode(place.folder) + b"/odd\xff")
    try:
        place.repo.rename(folder)
    except OSError:
        pytest.skip("the file system takes no such name")
    monkeypatch.chdir(folder)
    ref = place.accepted(EXPORTS)
    assert [place("recall", "exports signed")["baseline"] for _ in range(2)] == [[ref], [ref]]
