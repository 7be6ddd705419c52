"""A store that throttles, answers late or by half, refuses, or was emptied; kills; members and clocks apart."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from aicx.cli import run
from aicx.engine.search import Searcher, SearchQuery
from aicx.share.asking import asked_share
from aicx.share.push import plan_push, push
from aicx.share.seals import read_seals, verify_database
from aicx.share.shares import own_database
from aicx.share.tables import ShareAway, open_database
from benchmarks.share_kills import Kills
from tests.corpus.builders import SESSION, ClaudeLog
from tests.engine.search_helpers import NOW, copied, keep
from tests.sampling import ALL, sample
from tests.share.stores import EXPIRED, SLOW_DOWN, half, late, s3_server
from tests.share.teams import PUMP, VALVE, give, home, join, made, own_of

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.process, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def store():
    with s3_server() as found:
        yield found


@pytest.fixture(scope="module")
def members(store, tmp_path_factory):
    """Ada, who shared two sessions, and Bob, who asks."""
    root = tmp_path_factory.mktemp("members")
    for name in ("ada", "bob"):
        (root / name).mkdir()
    ada = home(
        root / "ada",
        (VALVE, "Why does the valve leak?", "The gasket of the valve was worn."),
        (PUMP, "Why does the pump hum?", "A bearing of the pump is loose."),
        vectors=False,
    )
    bob = home(root / "bob", (SESSION, "How is the oven heated?", "A thermostat keeps it even."), vectors=False)
    give(ada, join(ada, "s3://team/aicx", "ada"))
    join(bob, "s3://team/aicx", "bob")
    return ada, bob


def asked(user, text="gasket thermostat", *, wait=30.0):
    share = asked_share(replace(user.settings, team_wait_seconds=wait))
    with Searcher(user.settings) as searcher:
        report = searcher.search(SearchQuery(text, NOW, team=share))
    return {(hit.member, hit.sidecar.session_id) for hit in report.hits}, report.notes


BOTH = {("ada", VALVE), (None, SESSION)}


TROUBLE = {"refused with 503 SlowDown": SLOW_DOWN, "answered late": late(0.05), "answered by half": half}


@pytest.mark.parametrize("how", sample([*TROUBLE], 2, "third", ends=False))
def test_a_search_and_a_push_go_through_where_every_third_request_is(store, members, how):
    ada, bob = members
    done = TROUBLE[how]
    ada.claude(ClaudeLog(PUMP).prompt("Why does the pump hum?", 100).answer(f"It hums: {done!r}", 110))
    keep(ada)
    with store.troubled(lambda number, _: done if number % 3 == 0 else None):
        assert asked(bob)[0] == BOTH
        assert give(ada, join(ada, "s3://team/aicx", "ada")).sessions == 1
    assert verify_database(own_of(ada, join(ada, "s3://team/aicx", "ada"))) == (2, 2, [])


def test_a_store_that_only_throttles_is_waited_for_no_longer_than_wanted(store, members):
    with store.troubled(lambda *_: SLOW_DOWN):
        found, notes = asked(members[1], wait=1.0)
    assert found == {(None, SESSION)}
    assert "only your own corpus answered: the share gave no answer within 1 s" in notes


@pytest.mark.parametrize("slow", sample(["/", "/chunks.lance/data/"], 1, "slow", ends=False))
def test_a_command_that_waits_no_longer_for_the_share_ends(store, members, slow):
    """LanceDB waits five seconds at the end for what is under way, and Python for the threads of an executor."""
    told = "import sys, time; from aicx.cli import run; run(sys.argv[1:]); print(time.time())"
    command = [sys.executable, "-c", told, "search", "--team", "gasket thermostat"]
    with store.troubled(lambda _, asked: late(8) if slow in asked["PATH_INFO"] else None):
        done = subprocess.run(command, env={**os.environ, **members[1].environ}, capture_output=True, text=True)
        ended = time.time()
    assert "the share gave no answer within 1 s" in done.stderr
    assert "Traceback" not in done.stderr
    assert ended - float(done.stdout.splitlines()[-1]) < 3


def test_lost_credentials_leave_ones_own_answers_and_are_named(store, members):
    with store.troubled(lambda *_: EXPIRED):
        found, notes = asked(members[1])
    assert found == {(None, SESSION)}
    [said] = [note for note in notes if note.startswith("only your own corpus answered")]
    assert said.endswith("s3://team/aicx cannot be used: it answers ExpiredToken: The provided token has expired.")


@pytest.mark.parametrize(
    "command", sample([["push", "--yes"], ["status"], ["verify"], ["init", "s3://team/aicx"]], 1, "lost", ends=False)
)
def test_lost_credentials_end_a_command_with_what_to_check(store, members, monkeypatch, capsys, command):
    members[0].used(monkeypatch)
    with store.troubled(lambda *_: EXPIRED):
        assert run(["share", *command]) != 0
    said = capsys.readouterr().err
    assert (
        "the share at s3://team/aicx cannot be used: it answers ExpiredToken: The provided token has expired." in said
    )
    assert "renew the credentials" in said


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "s3://team/aicx cannot be used: Connection refused"),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_EC2_METADATA_DISABLED": "true"}, "has credentials for it"),
    ],
    ids=["no server", "no credentials"],
)
def test_a_store_that_cannot_be_asked_is_named_with_the_reason(store, monkeypatch, environment, said):
    monkeypatch.setenv("OBJECT_STORE_CLIENT_MAX_RETRIES", "0")
    for name, value in environment.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    with pytest.raises(ShareAway, match=re.escape(said)):
        open_database("s3://team/aicx")


def test_a_bucket_that_somebody_emptied_is_named_and_the_next_push_makes_it_again(
    store, members, tmp_path, monkeypatch, capsys
):
    ada = copied(members[0], tmp_path)
    ada.used(monkeypatch)
    join(ada, "s3://team/emptied", "ada")
    give(ada, join(ada, "s3://team/emptied", "ada"))
    empty("emptied")
    assert asked(ada)[1] == [
        "only your own corpus answered: there is no share at s3://team/emptied: somebody emptied it"
    ]
    assert run(["share", "push", "--yes"]) == 3
    assert "aicx share init s3://team/emptied" in capsys.readouterr().err
    assert run(["share", "init", "s3://team/emptied", "--member", "ada"]) == 0
    assert run(["share", "push", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["new"] == 2
    assert run(["share", "verify"]) == 0


def test_a_share_of_which_only_the_rows_were_deleted_is_named_by_a_search_and_by_verify(
    store, members, tmp_path, monkeypatch, capsys
):
    ada = copied(members[0], tmp_path)
    ada.used(monkeypatch)
    give(ada, join(ada, "s3://team/gutted", "ada"))
    empty("gutted/chunks.lance/data")
    assert run(["share", "verify"]) != 0
    assert "s3://team/gutted" in capsys.readouterr().err
    bob = copied(members[1], made(tmp_path / "bob"))
    join(bob, "s3://team/gutted", "bob")
    found, notes = asked(bob)
    assert found == {(None, SESSION)}
    assert any("only your own corpus answered: the share at s3://team/gutted" in note for note in notes)


def empty(prefix):
    import boto3

    bucket = boto3.resource("s3").Bucket("team")
    bucket.objects.filter(Prefix=f"{prefix}/").delete()


def test_a_session_that_two_members_shared_is_answered_once(store, members, tmp_path):
    ada, bob = members
    carol = copied(ada, tmp_path)
    membership = join(carol, "s3://team/aicx", "carol")
    give(carol, membership)
    try:
        found, _ = asked(bob)
        assert found == BOTH
    finally:
        give(carol, membership, "nothing-like-it")


def test_a_push_by_a_clock_that_is_behind_replaces_what_one_ahead_pushed(store, members, tmp_path):
    ada = copied(members[0], tmp_path)
    membership = replace(join(ada, "s3://team/clocks", "ada"), projects=("*",))

    def push_at(now):
        database = own_database(membership)
        push(ada.settings, membership, database, plan_push(ada.settings, membership, database), now)

    push_at(NOW + timedelta(days=400))
    ada.claude(ClaudeLog(VALVE).prompt("Why does the valve leak?", 0).answer("The washer was worn.", 10))
    keep(ada)
    push_at(NOW)
    database = own_database(membership)
    assert verify_database(database) == (2, 2, [])
    assert {seal.pushed_at[:4] for seal in read_seals(database).live.values()} >= {"2026"}
    bob = copied(members[1], made(tmp_path / "bob"))
    join(bob, "s3://team/clocks", "bob")
    assert ("ada", VALVE) in asked(bob, "washer")[0]
    assert ("ada", VALVE) not in asked(bob, "gasket")[0]


@pytest.mark.parametrize("kind", ["push", "upkeep"])
def test_a_process_killed_at_any_request_leaves_whole_sessions_and_the_next_push_puts_it_right(store, tmp_path, kind):
    kills = Kills(store, tmp_path, f"s3://team/killed-{kind}")
    writes = kills.try_all(kind, partial(sample, size=2, ends=False))
    assert writes > 5
    assert kills.found.pop("kills") == 2 or ALL
    assert set(kills.found.values()) == {0}
