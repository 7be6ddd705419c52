"""What was shared can be taken out again: from every search at once, and from every file of the newest state."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.errors import NotFound
from aicx.share import leaving, seals
from aicx.share.leaving import erase_everything, find_own, forget_shared
from aicx.share.seals import read_seals, sealed, verify_database
from aicx.share.upkeep import maintain
from tests.engine.search_helpers import NOW, copied, keep
from tests.share.teams import PUMP, VALVE, give, home, join, own_of, rows_of

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return home(
        tmp_path_factory.mktemp("stored"),
        (VALVE, "Why does the valve leak?", "The gasketword of the valve was worn."),
        (PUMP, "Why does the pump hum?", "A bearing of the pump is loose."),
    )


@pytest.fixture
def membership(ada, tmp_path):
    found = join(ada, tmp_path / "share", "ada")
    keep(ada)
    give(ada, found)
    return found


def second(stored, membership, tmp_path, name):
    """Another home with the same sessions, which shares them too."""
    (tmp_path / name).mkdir()
    user = copied(stored, tmp_path / name)
    own = join(user, membership.address, name)
    give(user, own)
    return user, own


def files_with(folder: Path, word: str) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def visible(user, membership):
    database = own_of(user, membership)
    database.refresh()
    return {(seal.member, seal.session_id) for seal in read_seals(database).live.values()}


def forget(user, membership, session=VALVE, *, at_once=False):
    found = find_own(user.settings, membership, session=session, project=None)
    return forget_shared(membership, found, NOW, at_once=at_once)


def test_a_forgotten_session_is_hidden_and_its_rows_are_deleted(ada, membership):
    done = forget(ada, membership)
    assert (done.sessions, done.gone_after_hours) == (1, 0.5)
    assert visible(ada, membership) == {("ada", PUMP)}
    assert not any(VALVE in row["chunk"] for row in rows_of(own_of(ada, membership), "chunk"))


def test_no_file_has_a_word_of_it_once_earlier_states_are_deleted(ada, membership, tmp_path):
    assert files_with(tmp_path / "share", "gasketword")
    assert forget(ada, membership, at_once=True).gone_after_hours == 0
    assert files_with(tmp_path / "share", "gasketword") == []
    assert verify_database(own_of(ada, membership)) == (1, 1, [])


def test_after_upkeep_the_words_of_it_are_in_no_index(ada, membership, tmp_path):
    maintain(ada.settings.layout, membership, own_of(ada, membership))
    forget(ada, membership, at_once=True)
    assert files_with(tmp_path / "share", "gasketword") == []


def test_it_stays_out_though_the_corpus_still_has_it(ada, membership):
    forget(ada, membership)
    assert give(ada, membership).sessions == 0
    assert visible(ada, membership) == {("ada", PUMP)}


def test_what_another_member_shared_stays_and_is_named(ada, membership, stored, tmp_path):
    second(stored, membership, tmp_path, "bob")
    done = forget(ada, membership)
    assert done.stays == [f"bob: claude:{VALVE}"]
    assert ("bob", VALVE) in visible(ada, membership)


def test_a_tombstone_hides_the_copy_of_ones_other_machine_at_once_and_upkeep_deletes_it(
    ada, membership, stored, tmp_path
):
    (tmp_path / "laptop").mkdir()
    laptop = copied(stored, tmp_path / "laptop")
    its = join(laptop, membership.address, "ada")
    give(laptop, its)
    assert forget(ada, membership).hidden == 1
    assert visible(ada, membership) == {("ada", PUMP)}
    maintain(ada.settings.layout, membership, own_of(ada, membership))
    assert not any(VALVE in row["chunk"] for row in rows_of(own_of(ada, membership), "chunk"))
    assert give(laptop, its).sessions == 0


def test_what_was_never_shared_cannot_be_taken_out(ada, membership):
    with pytest.raises(NotFound):
        find_own(ada.settings, membership, session="none", project=None)


@pytest.mark.parametrize("step", ["drop_rows", "_clean"])
def test_a_forget_killed_at_any_step_hides_it_and_the_next_push_deletes_it(ada, membership, step, monkeypatch):
    import aicx.share.push as push_module

    module = push_module if step == "drop_rows" else leaving

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, step, killed)
        with pytest.raises(KeyboardInterrupt):
            forget(ada, membership)
    assert visible(ada, membership) == {("ada", PUMP)}
    give(ada, membership)
    assert not any(VALVE in row["chunk"] for row in rows_of(own_of(ada, membership), "chunk"))


def test_leaving_with_erase_takes_out_all_of_ones_own_and_nothing_of_others(ada, membership, stored, tmp_path):
    second(stored, membership, tmp_path, "bob")
    assert erase_everything(membership).sessions == 2
    assert {row["member"] for row in rows_of(own_of(ada, membership), "member")} == {"bob"}
    assert visible(ada, membership) == {("bob", VALVE), ("bob", PUMP)}


def test_forget_of_the_corpus_reaches_the_share(ada, membership, capsys):
    assert run(["forget", "--session", VALVE, "--yes"]) == 0
    assert "1 session taken out of the share" in capsys.readouterr().err
    assert visible(ada, membership) == {("ada", PUMP)}


def test_forget_of_the_corpus_says_where_the_share_was_not_reached(ada, membership, tmp_path, capsys):
    (tmp_path / "share").rename(tmp_path / "away")
    assert run(["forget", "--session", VALVE, "--yes"]) == 0
    assert "the share was not reached, and may still have what is forgotten" in capsys.readouterr().err
    (tmp_path / "away").rename(tmp_path / "share")
    give(ada, membership)
    assert visible(ada, membership) == {("ada", PUMP)}


def test_the_commands_take_out_and_leave(ada, membership, capsys):
    assert run(["share", "forget", VALVE]) == 2
    assert run(["share", "forget", VALVE, "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sessions"] == 1
    assert run(["share", "leave", "--erase", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["erased"]["sessions"] == 1
    assert run(["share", "status"]) == 3


def test_seals_say_the_same_in_whichever_order_they_come(ada, membership):
    database = own_of(ada, membership)
    both = sorted(read_seals(database).newest.values(), key=lambda seal: seal.key)
    first, other = (replace(seal, version=3) for seal in both)
    newer = replace(first, generation="second", sequence=2, version=5)
    gone = replace(other, generation="", sequence=2, deleted_at="2026-03-20")
    every = [first, newer, other, gone]
    for order in (every, every[::-1], [newer, gone, first, other]):
        assert set(sealed(order, 5).generations()) == {"second"}
        # A reader of an older state goes by what that state has.
        assert set(sealed(order, 4).generations()) == {first.generation}
    assert seals.sealed([], 9).live == {}
