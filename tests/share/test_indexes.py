"""Upkeep keeps the index of vectors of a large share, and takes what was deleted out of every index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aicx.paths import Layout
from aicx.share import upkeep
from aicx.share.asking import AskedDatabase
from aicx.share.membership import Membership
from aicx.share.push import take_out
from aicx.share.seals import Seal, digest_of, drop_rows, read_stale, row_digest, verify_database, write_seals
from aicx.share.tables import VectorModel, create_database, words_index, write_rows
from aicx.share.upkeep import count_passages, count_unindexed, is_due, maintain
from retrieval.params import RankingParams
from retrieval.questions import parse_question
from tests.engine.search_helpers import NOW

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ADA, BOB, SIZE = Membership("there", "ada", "x"), Membership("there", "bob", "y"), 8
SIDECAR = '{"started_at": "2026-03-01T10:00:00Z", "completed_at": "2026-03-01T10:00:00Z"}'
ROWS, PASSAGES = 40, 3


def place(number: int) -> list[float]:
    """A direction of its own for each number."""
    return [float((number >> bit) & 1) * 2 - 1 for bit in range(SIZE)]


def add(database, *numbers: int, vectors: bool = True, member: str = "ada") -> list[Seal]:
    """A session of one row for each number; the first of its passages is in its own direction."""
    rows = []
    for number in numbers:
        row = {"key": f"{member}/x/{number}", "generation": f"g{number}", "member": member, "machine": "x", "draw": 0}
        row |= {"sidecar": SIDECAR, "text": f"word{number}", "said": f"word{number}", "sha256": ""}
        row["sha256"] = row_digest(SIDECAR, row["text"])
        near = [place(number), *([[0.1] * SIZE] * (PASSAGES - 1))]
        rows.append(row | ({"vectors": near, "spans": str([[0, 0, 1]] * PASSAGES)} if vectors else {}))
    version = write_rows(database.chunks, rows)
    seals = [
        Seal(row["key"], member, "x", "claude", row["key"], row["generation"], 1, 1, digest_of([row]), "", version)
        for row in rows
    ]
    write_seals(database, seals)
    return seals


def nearest(database, number: int) -> str:
    database.refresh()
    asked = database.chunks.search(place(number), vector_column_name="vectors").distance_type("cosine")
    # In eight dimensions one bit of each says little: half of the rows are compared exactly.
    found = asked.select(["key", "_distance"]).refine_factor(2).limit(ROWS // 2).to_arrow().to_pylist()[0]
    assert found["_distance"] == pytest.approx(0, abs=1e-3)
    return found["key"]


def index_files(database) -> set[str]:
    return {path.name for path in Path(database.uri, "chunks.lance", "_indices").iterdir()}


def indexed(database) -> dict[str, int]:
    """The columns that have an index, each with the rows that are not in it."""
    table = database.chunks
    return {one.columns[0]: table.index_stats(one.name).num_unindexed_rows for one in table.list_indices()}


@pytest.fixture
def database(tmp_path):
    found = create_database(str(tmp_path / "share"), VectorModel("made", "named", SIZE))
    add(found, *range(ROWS))
    return found


@pytest.fixture
def layout(tmp_path):
    (tmp_path / "home").mkdir()
    return Layout(tmp_path / "home")


def test_passages_are_counted_by_those_of_a_sample(database, monkeypatch):
    add(database, 90, vectors=False)
    assert count_passages(database.chunks) == ROWS * PASSAGES
    monkeypatch.setattr(upkeep, "_SAMPLED", 10)
    assert count_passages(database.chunks) == ROWS * PASSAGES


def test_chunks_with_many_passages_near_a_question_leave_room_for_others(database, layout):
    import numpy as np

    text, many = "near", [place(7)] * 60
    row = {"key": "ada/x/70", "generation": "g70", "member": "ada", "machine": "x", "sidecar": SIDECAR, "text": text}
    row |= {"sha256": row_digest(SIDECAR, text), "vectors": many, "spans": str([[0, 0, 1]] * len(many)), "draw": 0}
    version = write_rows(database.chunks, [row])
    write_seals(database, [Seal("ada/x/70", "ada", "x", "claude", "70", "g70", 1, 1, digest_of([row]), "", version)])
    assert maintain(layout, ADA, database, passages=1) is None
    asked = AskedDatabase(database, BOB, parse_question("flange"), [], 4, RankingParams())
    asked.by_words()
    asked.by_meaning(np.array(place(7), np.float32) / SIZE**0.5)
    found = [one.id for one in asked.shared().rankings["dense"]]
    assert (set(found[:2]), len(found)) == ({"ada/x/7", "ada/x/70"}, 4)


def test_a_share_with_few_passages_has_no_index_of_vectors(database, layout):
    assert maintain(layout, ADA, database, passages=ROWS * PASSAGES + 1) is None
    assert "vectors" not in indexed(database)


def test_upkeep_makes_the_index_of_vectors_and_takes_new_rows_into_it(database, layout):
    assert maintain(layout, ADA, database, passages=ROWS * PASSAGES) is None
    assert indexed(database)["vectors"] == 0
    add(database, 200, 201)
    add(database, 90, vectors=False)
    assert (count_unindexed(database), nearest(database, 200)) == (3, "ada/x/200")
    assert maintain(layout, ADA, database) is None
    assert (count_unindexed(database), nearest(database, 201)) == (0, "ada/x/201")
    assert nearest(database, 7) == "ada/x/7"


def test_an_index_of_vectors_that_was_added_to_many_times_is_made_anew(database, layout, monkeypatch):
    monkeypatch.setattr(upkeep, "_MAX_PARTS", 2)
    parts = []
    for number in range(200, 206):
        add(database, number)
        assert maintain(layout, ADA, database, passages=1) is None
        parts.append(database.chunks.index_stats("vectors_idx").num_indices)
    assert max(parts) == 3
    assert parts.count(1) == 2
    assert nearest(database, 200) == "ada/x/200"


def test_what_upkeep_deletes_for_good_leaves_every_index(database, layout):
    """Another machine of the same member forgot the session, whose rows are of this one."""
    assert maintain(layout, ADA, database, passages=1) is None
    before = index_files(database)
    [shared] = add(database, 77)
    forgotten = replace(shared, key="ada/y/77", machine="y", generation="", deleted_at="2026-03-01T10:00:00Z")
    write_seals(database, [forgotten])
    assert maintain(layout, ADA, database, passages=1, grace=upkeep.GRACE * 0) is None
    assert (verify_database(database), read_stale(database)) == ((ROWS, ROWS, []), [])
    assert set(indexed(database).values()) == {0}
    assert not before & index_files(database)
    assert nearest(database, 7) == "ada/x/7"
    assert is_due(database) is False


def test_a_deletion_by_a_push_is_followed_by_upkeep(database):
    [seal] = add(database, 77)
    assert is_due(database) is False
    take_out(database, [seal], NOW, forgotten=True)
    assert is_due(database) is True


def test_upkeep_killed_after_a_deletion_makes_the_indexes_anew_the_next_time(database, layout, monkeypatch):
    assert maintain(layout, ADA, database, passages=1) is None
    drop_rows(database, "generation = 'g3'")

    def killed(*_):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(upkeep, "renew_indexes", killed)
        with pytest.raises(SystemExit):
            maintain(layout, ADA, database)
    before = index_files(database)
    assert maintain(layout, ADA, database, grace=upkeep.GRACE * 0) is None
    assert not before & index_files(database)


def test_a_deletion_during_upkeep_is_followed_by_another(database, layout, monkeypatch):
    def beside():
        monkeypatch.undo()
        drop_rows(database, "generation = 'g4'")
        return words_index()

    drop_rows(database, "generation = 'g3'")
    monkeypatch.setattr(upkeep, "words_index", beside)
    assert maintain(layout, ADA, database, passages=1) is None
    assert is_due(database) is True


def test_the_index_of_vectors_goes_with_the_last_of_them(database, layout):
    assert maintain(layout, ADA, database, passages=1) is None
    drop_rows(database, "spans IS NOT NULL")
    add(database, 90, vectors=False)
    assert maintain(layout, ADA, database, passages=1) is None
    assert "vectors" not in indexed(database)
