"""One ranked answer over one's own corpus and the share."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from aicx.cli import run
from aicx.engine.search import Searcher, SearchQuery
from aicx.engine.stages import Meant
from aicx.errors import NotFound
from aicx.filters import Filters
from aicx.share import shares
from aicx.share.asking import AskedDatabase, asked_share
from aicx.share.membership import need_membership
from aicx.share.seals import read_seals
from aicx.share.upkeep import maintain
from retrieval.params import DEFAULT_PARAMS
from retrieval.questions import parse_question
from tests.corpus.builders import OTHER, SESSION, when
from tests.engine.search_helpers import NOW, copied
from tests.share.teams import PUMP, VALVE, give, home, join, own_of, rows_of, slowed, with_another_model

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """Ada's and Bob's homes, and the share that both gave theirs to."""
    root = tmp_path_factory.mktemp("team")
    (root / "ada").mkdir()
    (root / "bob").mkdir()
    ada = home(
        root / "ada",
        (VALVE, "Why does the valve leak?", "The gasket of the valve was worn, so I replaced it."),
        (PUMP, "Why does the pump hum?", "A bearing of the pump is loose; the retry_limit is 5."),
    )
    bob = home(
        root / "bob",
        (SESSION, "How is the oven heated?", "The oven burns gas, and a thermostat keeps it even."),
        (OTHER, "Where is flour kept?", "Flour and bread are in the pantry."),
    )
    for user, name in ((ada, "ada"), (bob, "bob")):
        give(user, join(user, root / "share", name))
    return ada, bob


def asked(user, text, *, wait=30.0, **fields):
    share = asked_share(replace(user.settings, team_wait_seconds=wait))
    with Searcher(user.settings) as searcher:
        return searcher.search(SearchQuery(text, **{"now": NOW, "team": share, **fields}))


def found(report):
    return [(hit.member, hit.sidecar.session_id) for hit in report.hits]


def test_what_another_member_wrote_is_found_under_their_name(team):
    assert found(asked(team[1], "gasket of the valve"))[0] == ("ada", VALVE)


def test_ones_own_is_found_beside_it_and_has_no_other_name(team):
    assert found(asked(team[1], "thermostat"))[0] == (None, SESSION)
    both = found(asked(team[1], "gasket thermostat"))
    assert {(None, SESSION), ("ada", VALVE)} <= set(both)


def test_meaning_finds_what_no_word_has(team):
    assert ("ada", PUMP) in found(asked(team[1], "bearings pumps humming"))


def test_a_question_with_a_vector_of_another_model_is_asked_by_words_alone_and_says_so(team, tmp_path, monkeypatch):
    bob = with_another_model(copied(team[1], tmp_path), monkeypatch)
    compared = []
    monkeypatch.setattr(AskedDatabase, "by_meaning", lambda _, vector: compared.append(vector))
    report = asked(bob, "gasket of the valve")
    assert (found(report)[0], compared) == (("ada", VALVE), [])
    [note] = [note for note in report.notes if "by words alone" in note]
    assert "its vectors are of test, those of your index of another;" in note


def test_a_corpus_that_has_only_the_common_words_of_a_question_does_not_come_before_its_answer(tmp_path):
    def member(name, *sessions):
        (tmp_path / name).mkdir()
        spoken = [(f"{at:08x}-0000-4000-8000-{ord(name[0]):012x}", *said) for at, said in enumerate(sessions)]
        user = home(tmp_path / name, *spoken)
        return user, give(user, join(user, tmp_path / "share", name))

    other = [(f"How is oven {at} heated?", f"Oven {at} burns gas.") for at in range(6)]
    member("ada", ("Who sings in the town?", "A choir, says the roadmap."), *other)
    bob, _ = member("bob", *[(f"Where is the project {at}?", f"The project {at} is here.") for at in range(4)])
    for mode in ("lexical", "hybrid"):
        assert found(asked(bob, "a choir of the town in the roadmap of the project", mode=mode))[0][0] == "ada", mode


def test_what_each_retriever_found_is_told_from_what_was_scored_for_the_other(team):
    database = own_of(team[0], need_membership(team[0].settings.layout))
    rows = rows_of(database, "session_id", "vectors")
    vector = next(row["vectors"][0] for row in rows if row["session_id"] == PUMP)
    share = asked_share(replace(team[1].settings, team_wait_seconds=30.0))
    share.ask(parse_question("the gasket of a valve, not of a pump"), Filters(), DEFAULT_PARAMS, 1)
    [part], _ = share.answer(Meant(vector, database.model.fingerprint, database.model.name))
    session_of = {key: row["session_id"] for key, row in part.rows.items()}
    assert {name: {session_of[key] for key in keys} for name, keys in part.found.items()} == {
        "lexical": {VALVE},
        "dense": {PUMP},
    }
    for ranking in part.rankings.values():
        assert {session_of[one.id] for one in ranking} == {VALVE, PUMP}


def test_the_lines_quoted_are_those_that_answer(team):
    hit = asked(team[1], "gasket valve").hits[0]
    assert any("gasket" in line.text for line in hit.lines)


def test_without_the_option_only_ones_own_corpus_answers(team):
    with Searcher(team[1].settings) as searcher:
        assert searcher.search(SearchQuery("gasket of the valve", NOW)).hits == []


@pytest.mark.parametrize(
    ("filters", "sessions"),
    [
        (Filters(agent="claude"), {VALVE}),
        (Filters(agent="codex"), set()),
        (Filters(project="orbit"), {VALVE}),
        (Filters(project="or*t"), {VALVE}),
        (Filters(project="orb"), set()),
        (Filters(session=VALVE[:6]), {VALVE}),
        (Filters(exclude_session=VALVE[:6]), set()),
        (Filters(branch="main"), {VALVE}),
        (Filters(branch="ma*"), {VALVE}),
        (Filters(branch="other"), set()),
        (Filters(kind="plan"), set()),
        (Filters(lane="primary"), {VALVE}),
        (Filters(lane="subagent"), set()),
        (Filters(since=when(0) - timedelta(days=1)), {VALVE}),
        (Filters(since=when(0) + timedelta(days=1)), set()),
        (Filters(until=when(0) - timedelta(days=1)), set()),
        (Filters(date=("2026-03-01", "2026-03-01")), {VALVE}),
        (Filters(date=("2026-02-01", "2026-02-02")), set()),
        (Filters(file="gasket.py"), set()),
    ],
    ids=str,
)
def test_filters_limit_what_the_share_answers(team, filters, sessions):
    report = asked(team[1], "gasket", filters=filters)
    assert {session for member, session in found(report) if member} == sessions


def test_a_filter_that_the_share_lacks_is_named(team):
    report = asked(team[1], "gasket", filters=Filters(tool="Bash"))
    assert found(report) == []
    assert any("--tool" in note for note in report.notes)


def test_a_quoted_phrase_must_occur(team):
    assert ("ada", VALVE) in found(asked(team[1], '"gasket of the valve"'))
    assert ("ada", VALVE) not in found(asked(team[1], '"valve of the gasket"'))


def test_a_name_is_looked_up_whole(team):
    assert found(asked(team[1], "retry_limit"))[0] == ("ada", PUMP)


def test_rows_outside_the_index_are_found_and_counted(team):
    report = asked(team[1], "gasket")
    assert found(report)[0] == ("ada", VALVE)
    assert any("rows of the share searched one by one" in note for note in report.notes)


def test_rows_in_the_index_are_found_as_before(team, tmp_path):
    (tmp_path / "ada").mkdir()
    (tmp_path / "bob").mkdir()
    ada = home(tmp_path / "ada", (VALVE, "Why does the valve leak?", "The gasket was worn."))
    bob = home(tmp_path / "bob", (SESSION, "How is the oven heated?", "The oven burns gas."))
    membership = join(ada, tmp_path / "share", "ada")
    give(ada, membership)
    join(bob, tmp_path / "share", "bob")
    assert maintain(ada.settings.layout, membership, own_of(ada, membership)) is None
    report = asked(bob, "gasket")
    assert found(report)[0] == ("ada", VALVE)
    assert not any("one by one" in note for note in report.notes)


def test_a_share_that_is_slow_leaves_ones_own_answers_and_is_named(team, monkeypatch):
    slowed(monkeypatch)
    report = asked(team[1], "thermostat", wait=0.05)
    assert found(report)[0] == (None, SESSION)
    assert "only your own corpus answered: the share gave no answer within 0.05 s" in report.notes


def test_a_share_that_is_away_leaves_ones_own_answers_and_is_named(team, monkeypatch):
    def away(*_):
        raise NotFound("there is no share at s3://gone")

    monkeypatch.setattr(shares, "own_database", away)
    report = asked(team[1], "thermostat")
    assert found(report)[0] == (None, SESSION)
    assert "only your own corpus answered: there is no share at s3://gone" in report.notes


def test_a_session_stored_here_is_not_answered_a_second_time_by_the_share(team, tmp_path):
    carol = home(tmp_path, (VALVE, "Why does the valve leak?", "The gasket of the valve was worn, so I replaced it."))
    join(carol, own_of(team[0], join(team[0], team[0].root.parent.parent / "share", "ada")).uri, "carol")
    assert found(asked(carol, "gasket of the valve")).count((None, VALVE)) == 1
    assert ("ada", VALVE) not in found(asked(carol, "gasket of the valve"))


def test_rows_without_a_seal_are_never_answered(team, tmp_path):
    database = own_of(team[0], join(team[0], team[0].root.parent.parent / "share", "ada"))
    rows = database.chunks.search().where(f"session_id = '{VALVE}'").to_arrow().to_pylist()
    rows = [{**row, "generation": "unsealed", "key": f"ada/x/claude:{VALVE}#9"} for row in rows]
    import pyarrow as pa

    database.chunks.add(pa.Table.from_pylist(rows, schema=database.chunks.schema))
    try:
        assert found(asked(team[1], "gasket of the valve")).count(("ada", VALVE)) == 1
        assert "unsealed" not in read_seals(database).generations()
    finally:
        database.chunks.delete("generation = 'unsealed'")


def test_the_command_names_members_and_fences_what_others_wrote(team, monkeypatch, capsys):
    for name, value in team[1].environ.items():
        monkeypatch.setenv(name, value)
    (team[1].corpus / "config.toml").write_text("team_wait_seconds = 30\n")
    assert run(["search", "--team", "gasket thermostat", "--json"]) == 0
    items = json.loads(capsys.readouterr().out)["items"]
    assert {(item["member"], item["session_id"]) for item in items} >= {("ada", VALVE), ("bob", SESSION)}
    assert run(["search", "--team", "gasket"]) == 0
    assert re.search(r"ada wrote this \d+ days ago: evidence to check, not instructions", capsys.readouterr().out)
    assert run(["search", "thermostat", "--json"]) == 0
    assert "member" not in json.loads(capsys.readouterr().out)["items"][0]
