"""The catalogue is derived: whatever happens to it, the same questions get the same answers from the corpus."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sampling import sample
from tests.survival.conftest import Undisturbed
from tests.survival.runs import HERE, Home, Runner

pytestmark = pytest.mark.slow


@pytest.fixture
def home(undisturbed: Undisturbed, tmp_path: Path) -> Home:
    """A corpus whose logs are gone."""
    corpus = tmp_path / "corpus"
    shutil.copytree(undisturbed.corpus, corpus)
    return Home(tmp_path / "nobody", corpus)


def _delete(catalog: Path) -> None:
    catalog.unlink()


def _random_bytes(catalog: Path) -> None:
    catalog.write_bytes(random.Random(1).randbytes(40_000))


def _empty(catalog: Path) -> None:
    catalog.write_bytes(b"")


def _cut(catalog: Path) -> None:
    os.truncate(catalog, 10_000)


def _cut_at_a_page(catalog: Path) -> None:
    os.truncate(catalog, 4096)


def _holes(catalog: Path) -> None:
    body = bytearray(catalog.read_bytes())
    for start in range(4096, len(body), 3 * 4096):
        body[start : start + 4096] = bytes(4096)
    catalog.write_bytes(body)


def _noise(catalog: Path) -> None:
    """Random bytes all over, the first page kept: it opens well and fails later."""
    body = bytearray(catalog.read_bytes())
    chance = random.Random(2)
    for _ in range(len(body) // 20):
        body[chance.randrange(4096, len(body))] = chance.randrange(256)
    catalog.write_bytes(body)


def _names_not_in_utf8(catalog: Path) -> None:
    """SQLite's own message about it is no UTF-8 either."""
    catalog.write_bytes(catalog.read_bytes().replace(b"CREATE TABLE chunks", b"CREATE TABLE \xf0\x99\xff\x9ek\xf8"))


def _other_version(catalog: Path) -> None:
    with sqlite3.connect(catalog) as connection:
        connection.execute("PRAGMA user_version=900")
    connection.close()


def _older_tables(catalog: Path) -> None:
    with sqlite3.connect(catalog) as connection:
        connection.execute("DROP TABLE duplicates")
    connection.close()


def _write_ahead_log_alone(catalog: Path) -> None:
    catalog.rename(catalog.with_name("catalog.sqlite-wal"))


DAMAGES = [
    _delete,
    _random_bytes,
    _empty,
    _cut,
    _cut_at_a_page,
    _holes,
    _noise,
    _names_not_in_utf8,
    _other_version,
    _older_tables,
    _write_ahead_log_alone,
]


@pytest.mark.parametrize("damage", sample(DAMAGES, 6))
def test_store_rebuilds_a_catalogue_from_the_corpus_alone(
    damage: Callable[[Path], None], home: Home, undisturbed: Undisturbed
) -> None:
    damage(home.corpus / "catalog.sqlite")
    HERE.store(home)
    assert home.tree() == undisturbed.tree
    assert HERE.answers(home) == undisturbed.answers


@pytest.mark.parametrize("damage", sample(DAMAGES, 6, "asked"))
def test_a_question_to_a_damaged_catalogue_is_answered_rightly_or_not_at_all(
    damage: Callable[[Path], None], home: Home, undisturbed: Undisturbed
) -> None:
    damage(home.corpus / "catalog.sqlite")
    run = HERE.run(home, "steer", "--json", "--limit", "10000")
    assert "Traceback" not in run.err
    if run.code == 0:
        assert HERE.answers(home) == undisturbed.answers
    else:
        assert run.code == 7, run.err


def test_a_rebuilt_catalogue_makes_the_next_reading_of_the_logs_change_nothing(
    home: Home, undisturbed: Undisturbed
) -> None:
    _delete(home.corpus / "catalog.sqlite")
    back = Home(undisturbed.user, home.corpus)
    assert "0 new messages" in HERE.store(back).err
    assert home.tree() == undisturbed.tree
    assert HERE.answers(home) == undisturbed.answers


@pytest.mark.parametrize("moment", ["before begin", "after begin", "before commit", "after commit"])
def test_nobody_takes_a_rebuild_that_was_killed_for_the_whole(
    moment: str, home: Home, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """To a reader it looks like one that goes on."""
    _delete(home.corpus / "catalog.sqlite")
    measured = Home(home.user, tmp_path / "measured")
    shutil.copytree(home.corpus, measured.corpus)
    step = runner.steps(measured).index(moment) + 1
    assert runner.run(home, "store", fatal_step=step).killed
    assert HERE.answers(home) == undisturbed.answers
    HERE.store(home)
    assert HERE.answers(home) == undisturbed.answers


STRANGE: list[dict[str, object]] = [
    {"title": {"not": "a text"}},
    {"messages": "none"},
    {"messages": [{"key": "not hex", "text_key": "0" * 16, "at": "never", "role": "user"}]},
    {"messages": [1, 2]},
    {"files": 7},
    {"duplicates": [{"key": "0" * 16}]},
    {"duplicates": [{"key": "0" * 16, "path": "/x", "span": [2**70, 1]}]},
    {"folders": {"/x": 1}},
    {"redactions": {"rule": "many"}},
    {"tokens": 2**80},
    {"started_at": 5},
    {"unknown": [None, {"deep": []}]},
]


def _of_chunks(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers without what they say of the session, which every chunk of it has a part in."""
    return [{name: value for name, value in item.items() if name not in ("title", "prompt_key")} for item in answers]


@pytest.mark.parametrize("change", sample(STRANGE, 6))
def test_a_sidecar_with_strange_content_costs_at_most_its_own_chunk(
    change: dict[str, object], home: Home, undisturbed: Undisturbed
) -> None:
    _delete(home.corpus / "catalog.sqlite")
    strange = home.chunks()[0]
    sidecar = strange.with_name(f"{strange.stem}.meta.json")
    fields = json.loads(sidecar.read_bytes())
    sidecar.write_text(json.dumps(fields | change), "utf-8")
    left_out = "left out" in HERE.store(home).err
    answers = HERE.answers(home)
    others = [item for item in _of_chunks(undisturbed.answers) if item["id"] != fields["id"]]
    assert [item for item in _of_chunks(answers) if item["id"] != fields["id"]] == others
    assert len(answers) == len(others) + (not left_out)


def test_a_sidecar_beside_another_chunk_does_not_take_its_place(home: Home, undisturbed: Undisturbed) -> None:
    _delete(home.corpus / "catalog.sqlite")
    first, second = (chunk.with_name(f"{chunk.stem}.meta.json") for chunk in home.chunks()[:2])
    mine = json.loads(first.read_bytes())["id"]
    first.write_bytes(second.read_bytes())
    assert "is the sidecar of" in HERE.store(home).err
    others = [item for item in undisturbed.answers if item["id"] != mine]
    assert _of_chunks(HERE.answers(home)) == _of_chunks(others)
    # With the logs there, the chunk comes back.
    HERE.store(Home(undisturbed.user, home.corpus))
    assert home.tree() == undisturbed.tree
