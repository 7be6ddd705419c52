"""What leaves a machine, and that nothing else does."""

from __future__ import annotations

import json

import pytest

from aicx.cli import run
from aicx.errors import NotFound, UsageError
from aicx.share import rows as rows_module
from aicx.share.membership import parse_address
from aicx.share.push import plan_push
from aicx.share.seals import list_parts, read_seals, verify_database
from aicx.types import Redacted
from tests.corpus.builders import ClaudeLog
from tests.engine.search_helpers import copied, keep
from tests.share.teams import PUMP, VALVE, give, join, own_of, rows_of, with_another_model

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def test_nothing_is_shared_before_a_project_is_chosen(ada, membership):
    with pytest.raises(UsageError, match="no project is chosen"):
        plan_push(ada.settings, membership, own_of(ada, membership))
    assert rows_of(own_of(ada, membership), "chunk") == []


def test_a_push_sends_the_chunks_of_chosen_projects_with_their_vectors(ada, membership):
    pushed = give(ada, membership)
    assert (pushed.sessions, pushed.chunks, pushed.vectors) == (2, 2, 2)
    rows = rows_of(own_of(ada, membership), "key", "member", "text", "vectors")
    assert all(row["key"].startswith(f"{membership.own}/claude:") and row["vectors"] for row in rows)
    assert sorted("gasket" in row["text"] for row in rows) == [False, True]


def test_a_project_that_no_pattern_fits_is_not_shared(ada, membership):
    assert give(ada, membership, "nothing-like-it").chunks == 0


def test_a_second_push_sends_only_what_changed(ada, membership):
    keep(ada)  # a copied home has its logs in another place
    give(ada, membership)
    assert give(ada, membership).sessions == 0
    ada.claude(ClaudeLog("cccc3333-0000-4000-8000-000000000003").prompt("And the filter?", 900))
    keep(ada)
    assert give(ada, membership).sessions == 1


def test_working_folders_and_paths_of_logs_stay_here(ada, membership):
    give(ada, membership)
    for row in rows_of(own_of(ada, membership), "sidecar", "text"):
        assert "/srv/ada" not in row["sidecar"] + row["text"]
        assert "source" not in json.loads(row["sidecar"])


def test_what_the_rules_of_today_find_is_redacted_before_it_leaves(ada, membership, monkeypatch):
    def redact(text):
        return Redacted(text.replace("gasket", "[REDACTED:x]"), {"x": text.count("gasket")})

    monkeypatch.setattr(rows_module, "redact_plain", redact)
    pushed = give(ada, membership)
    assert pushed.redacted > 0
    found = rows_of(own_of(ada, membership), "text", "sidecar", "said", "header", "vectors")
    assert not any("gasket" in f"{row['text']} {row['sidecar']} {row['said']} {row['header']}" for row in found)
    # Nor has a vector of the text that had it.
    assert sorted(row["vectors"] is None for row in found) == [False, True]


def test_a_home_without_an_index_shares_without_vectors(ada, membership, monkeypatch):
    monkeypatch.setattr(rows_module, "read_manifest", lambda layout: {})
    assert give(ada, membership).vectors == 0


def test_vectors_of_another_model_are_not_sent_and_the_push_says_which_the_share_has(
    ada, membership, monkeypatch, capsys
):
    with_another_model(ada, monkeypatch)
    for options in (["--dry-run"], ["--yes"]):
        assert run(["share", "push", "--project", "*", "--json", *options]) == 0
        pushed = json.loads(capsys.readouterr().out)
        assert (pushed["chunks"], pushed["vectors"]) == (2, 0)
        [note] = pushed["notes"]
        assert "got no vectors from here: its vectors are of test, those of your index of another;" in note
        assert "aicx index --rebuild" in note
    assert [row["vectors"] for row in rows_of(own_of(ada, membership), "vectors")] == [None, None]


def test_a_project_no_longer_chosen_is_taken_out(ada, membership):
    give(ada, membership)
    assert give(ada, membership, "nothing-like-it").removed == 2
    assert rows_of(own_of(ada, membership), "chunk") == []
    assert give(ada, membership).sessions == 2


def test_a_session_that_the_corpus_no_longer_has_is_taken_out_and_hidden(ada, membership, capsys):
    give(ada, membership)
    assert run(["forget", "--session", VALVE, "--yes"]) == 0
    give(ada, membership)
    database = own_of(ada, membership)
    assert [PUMP in row["chunk"] for row in rows_of(database, "chunk")] == [True]
    assert ("ada", "claude", VALVE) in read_seals(database).hidden


def test_a_pushed_share_agrees_with_its_seals(ada, membership):
    give(ada, membership)
    assert verify_database(own_of(ada, membership)) == (2, 2, [])


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda table: table.delete(f"chunk LIKE '%{VALVE}%'"), "0 of 1 rows"),
        (lambda table: table.add(table.search().limit(1).to_arrow().select(table.schema.names)), "more than once"),
        (lambda table: table.update(values={"text": "invented"}), "not the one that was pushed"),
    ],
    ids=["lost rows", "rows twice", "another text"],
)
def test_verify_names_a_session_whose_rows_are_not_those_of_its_seal(ada, membership, harm, reason):
    give(ada, membership)
    database = own_of(ada, membership)
    harm(database.chunks)
    assert reason in verify_database(own_of(ada, membership))[2][0].reason


STEPS = ("write_rows", "write_seals", "drop_superseded")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
def test_a_push_killed_at_any_step_leaves_whole_sessions_and_the_next_one_puts_it_right(
    ada, membership, monkeypatch, step, before
):
    give(ada, membership)
    ada.claude(ClaudeLog(VALVE).prompt("Why does the valve leak?", 0).answer("The washer was worn.", 10))
    keep(ada)
    import aicx.share.push as module

    true = getattr(module, step)

    def killed(*args):
        if not before:
            true(*args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, step, killed)
        with pytest.raises(KeyboardInterrupt):
            give(ada, membership)
    database = own_of(ada, membership)
    database.refresh()
    live = read_seals(database).generations()
    assert {seal.session_id for seal in live.values()} == {VALVE, PUMP}
    assert verify_database(database)[2] == []
    give(ada, membership)
    assert verify_database(database) == (2, 2, [])
    assert len(rows_of(database, "chunk")) == 2


def test_the_commands_share_and_say_what_they_did(ada, tmp_path, capsys):
    assert run(["share", "init", str(tmp_path / "share"), "--member", "ada"]) == 0
    assert run(["share", "push", "--project", "orb*", "--dry-run", "--json"]) == 0
    looked = json.loads(capsys.readouterr().out)
    assert (looked["new"], looked["chunks"], len(looked["samples"])) == (2, 2, 2)
    assert run(["share", "push", "--project", "orb*"]) == 2
    assert "needs a confirmation" in capsys.readouterr().err
    assert run(["share", "push", "--project", "orb*", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["chunks"] == 2
    assert run(["share", "status", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert [(one["member"], one["sessions"]) for one in status["members"]] == [("ada", 2)]
    assert run(["share", "verify"]) == 0


def test_without_a_share_the_commands_name_the_next_step(ada, capsys):
    assert run(["share", "status"]) == 3
    assert "aicx share init" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["ftp://there/x", "s3://ada:secret@bucket/x", "s3://bucket/x?key=secret"])
def test_an_address_of_an_unknown_kind_or_with_credentials_is_refused(address):
    with pytest.raises(UsageError):
        parse_address(address)


def test_two_members_share_the_same_session_without_touching_one_anothers_rows(ada, membership, stored, tmp_path):
    (tmp_path / "bob").mkdir()
    bob = copied(stored, tmp_path / "bob")
    his = join(bob, membership.address, "bob")
    give(ada, membership)
    give(bob, his)
    database = own_of(ada, membership)
    assert [(part.member, part.chunks) for part in list_parts(read_seals(database))] == [("ada", 2), ("bob", 2)]
    give(ada, membership, "nothing-like-it")
    database.refresh()
    assert {seal.member for seal in read_seals(database).live.values()} == {"bob"}


def test_an_emptied_share_is_named_and_can_be_made_again(ada, membership, tmp_path):
    import shutil

    give(ada, membership)
    shutil.rmtree(tmp_path / "share")
    with pytest.raises(NotFound, match="emptied"):
        own_of(ada, membership)
    again = join(ada, membership.address, "ada")
    assert again.machine == membership.machine
    assert give(ada, again).sessions == 2
