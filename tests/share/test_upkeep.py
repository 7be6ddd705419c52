"""Upkeep is one machine's at a time, and harms nothing when it is killed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aicx.paths import Layout
from aicx.share import upkeep
from aicx.share.membership import Membership
from aicx.share.seals import Seal, digest_of, row_digest, verify_database, write_seals
from aicx.share.tables import ShareAway, VectorModel, committed, create_database, open_database, write_rows
from aicx.share.upkeep import count_unindexed, maintain

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ADA, BOB = Membership("there", "ada", "x"), Membership("there", "bob", "y")


@pytest.fixture
def database(tmp_path):
    found = create_database(str(tmp_path / "share"), VectorModel("made", "named", 4))
    for number in range(3):
        row = {"key": f"ada/x/{number}", "generation": f"g{number}", "sidecar": "{}", "text": "valve", "said": "valve"}
        row["sha256"] = row_digest("{}", "valve")
        version = write_rows(found.chunks, [row])
        seal = Seal(f"k{number}", "ada", "x", "claude", f"s{number}", f"g{number}", 1, 1, digest_of([row]), "", version)
        write_seals(found, [seal])
    return found


@pytest.fixture
def layout(tmp_path):
    (tmp_path / "home").mkdir()
    return Layout(tmp_path / "home")


def test_upkeep_folds_rows_into_the_indexes_and_changes_no_session(database, layout):
    assert count_unindexed(database) == 3
    assert maintain(layout, ADA, database) is None
    assert count_unindexed(database) == 0
    assert verify_database(database) == (3, 3, [])


def test_upkeep_goes_on_from_what_a_push_committed_meanwhile(database, layout, monkeypatch):
    def push_beside(*_):
        open_database(database.uri).chunks.delete("key = 'ada/x/0'")

    monkeypatch.setattr(upkeep, "keep_vectors_index", push_beside)
    assert maintain(layout, ADA, database) is None
    database.refresh()
    assert database.chunks.stats()["fragment_stats"]["num_fragments"] == 1


@pytest.mark.parametrize("step", ["take_out_hidden", "optimize"])
def test_upkeep_killed_at_any_step_harms_nothing_and_is_done_again_later(database, layout, step, monkeypatch):
    def killed(*_, **__):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(upkeep, step, killed)
        with pytest.raises(SystemExit):
            maintain(layout, ADA, database)
    assert verify_database(database) == (3, 3, [])
    assert maintain(layout, BOB, database) is None


def hold(database, layout, monkeypatch):
    """Leaves the lease with Ada, as a kill does."""
    true = upkeep.committed
    calls = []

    def once(commit):
        calls.append(commit)
        return true(commit) if len(calls) <= 2 else None  # its row, and taking it

    def killed(*_):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(upkeep, "committed", once)
        patched.setattr(upkeep, "take_out_hidden", killed)
        with pytest.raises(SystemExit):
            maintain(layout, ADA, database)


def test_a_lease_that_another_machine_holds_is_left_to_it(database, layout, monkeypatch):
    hold(database, layout, monkeypatch)
    assert maintain(layout, BOB, database) == "another machine is looking after the share"
    assert count_unindexed(database) == 3


def test_a_holder_whose_beat_never_changes_loses_the_lease_by_the_clock_of_who_waits(database, layout, monkeypatch):
    hold(database, layout, monkeypatch)
    impatient = timedelta(seconds=-1)
    assert maintain(layout, BOB, database, patience=impatient) == "another machine is looking after the share"
    assert maintain(layout, BOB, database, patience=impatient) is None


def test_a_commit_is_tried_again_while_others_commit_and_after_half_an_answer(monkeypatch):
    monkeypatch.setattr("aicx.share.tables._PAUSE", 0)
    failures = [
        RuntimeError("Commit conflict for version 3"),
        RuntimeError("Too many concurrent writers"),
        RuntimeError("Error getting list response body: HTTP error"),
    ]

    def commit():
        if failures:
            raise failures.pop()
        return "done"

    assert committed(commit) == "done"


def test_a_commit_that_must_not_be_made_twice_is_not_tried_again_after_half_an_answer():
    with pytest.raises(RuntimeError, match="response body"):
        committed(lambda: (_ for _ in ()).throw(RuntimeError("Error getting list response body")), once=True)


def test_a_failure_that_is_no_conflict_is_not_tried_again():
    with pytest.raises(RuntimeError, match="access denied"):
        committed(lambda: (_ for _ in ()).throw(RuntimeError("access denied")))


def test_a_failure_of_the_store_is_named(database, layout, monkeypatch):
    def refused(*_, **__):
        raise RuntimeError("access denied")

    monkeypatch.setattr(type(database.connection), "create_table", refused)
    with pytest.raises(ShareAway, match="access denied"):
        maintain(layout, ADA, database)
