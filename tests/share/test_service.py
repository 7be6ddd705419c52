"""A share that LanceDB's service keeps (``db://``), asked by LanceDB's own client; a stand-in is the service."""

from __future__ import annotations

import json
from shutil import copytree

import pytest

from aicx.cli import run
from aicx.errors import UsageError
from aicx.share import tables
from aicx.share.cluster import check_address
from tests.corpus.builders import SESSION
from tests.engine.search_helpers import copied
from tests.share.service import KEY, lancedb_service
from tests.share.teams import PUMP, VALVE, give, home, join, made

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ADDRESS = "db://team"


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """Ada, who shared two sessions, Bob, who asks, and the folder of the service."""
    root = tmp_path_factory.mktemp("members")
    ada = home(
        made(root / "ada"),
        (VALVE, "Why does the valve leak?", "The gasket of the valve was worn, so I replaced it."),
        (PUMP, "Why does the pump hum?", "A bearing of the pump is loose."),
    )
    bob = home(made(root / "bob"), (SESSION, "How is the oven heated?", "The oven burns gas."))
    with lancedb_service(made(root / "service")):
        give(ada, join(ada, ADDRESS, "ada"))
        join(bob, ADDRESS, "bob")
    for user in (ada, bob):
        (user.corpus / "config.toml").write_text("team_wait_seconds = 30\n")
    return ada, bob, root / "service"


@pytest.fixture
def service(members, tmp_path):
    copytree(members[2], tmp_path / "service")
    with lancedb_service(tmp_path / "service") as found:
        yield found


@pytest.fixture
def ada(members, service, tmp_path, monkeypatch):
    return copied(members[0], made(tmp_path / "ada")).used(monkeypatch)


@pytest.fixture
def bob(members, service, tmp_path, monkeypatch):
    return copied(members[1], made(tmp_path / "bob")).used(monkeypatch)


def answer(capsys, *words):
    capsys.readouterr()
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_push_is_counted_and_agrees_with_its_seals(ada, capsys):
    [ada] = answer(capsys, "share", "status")["members"]
    assert (ada["member"], ada["sessions"], ada["chunks"]) == ("ada", 2, 2)
    verified = answer(capsys, "share", "verify")
    assert (verified["sessions"], verified["rows"], verified["unsound"]) == (2, 2, [])


def test_a_search_finds_what_another_member_shared_by_words_and_by_meaning(bob, service, capsys):
    found = answer(capsys, "search", "--team", "why does the valve leak", "--project", "orbit")["items"]
    assert found[0]["member"] == "ada"
    assert "gasket" in json.dumps(found[0])
    queries = [wanted for call, wanted in service.asked if call == "query"]
    limited = [one for one in queries if "project" in one.get("filter", "")]
    assert [any(name in one for one in limited) for name in ("full_text_query", "vector_column")] == [True, True]
    # Each is of one state of the rows, which the service keeps until it is through.
    [of_rows] = {one["version"] for one in queries if "full_text_query" in one or one["vector"]}
    assert of_rows is not None


def test_what_a_question_sees_does_not_change_while_it_is_asked(ada):
    database = tables.open_database(ADDRESS)
    database.refresh(only_read=True)
    tables.open_database(ADDRESS).chunks.delete("true")
    assert len(tables.read_rows(database.chunks, ("key",))) == 2
    database.refresh()
    assert tables.read_rows(database.chunks, ("key",)) == []


def test_what_its_member_forgets_is_in_no_row_and_in_no_answer(ada, capsys):
    done = answer(capsys, "share", "forget", "--session", VALVE, "--yes")
    assert (done["sessions"], done["gone_after_hours"], done["notes"]) == (1, None, [])
    database = tables.open_database(ADDRESS)
    assert [PUMP in row["chunk"] for row in tables.read_rows(database.chunks, ("chunk",))] == [True]
    assert answer(capsys, "share", "push", "--yes")["held_back"] == 1


def test_who_leaves_can_take_everything_along(ada, capsys):
    assert answer(capsys, "share", "leave", "--erase", "--yes")["erased"]["sessions"] == 2
    database = tables.open_database(ADDRESS)
    assert (database.chunks.count_rows(), database.sessions.count_rows()) == (0, 0)


@pytest.mark.parametrize("way", ["push", "build"])
def test_a_home_makes_a_share_and_gives_to_it(members, tmp_path, monkeypatch, capsys, way):
    copied(members[0], made(tmp_path / "ada")).used(monkeypatch)
    with lancedb_service(made(tmp_path / "service")):
        assert answer(capsys, "share", "init", "db://another", "--member", "ada")["address"] == "db://another"
        given = answer(capsys, "share", way, "--project", "*", "--yes")
        assert (given["new"], given["chunks"], given["notes"]) == (2, 2, [])
        assert answer(capsys, "share", "verify")["sessions"] == 2


def test_workers_of_ray_are_refused_since_they_cannot_write_its_files(ada, capsys):
    with pytest.raises(UsageError, match="a service, which writes its files itself"):
        check_address(tables.open_database(ADDRESS))


@pytest.mark.parametrize(
    ("key", "why"), [(None, "LANCEDB_API_KEY"), ("another", "unknown key")], ids=["no key", "another key"]
)
def test_without_its_key_a_service_is_not_asked_and_the_line_says_so(bob, monkeypatch, capsys, key, why):
    if key is None:
        monkeypatch.delenv("LANCEDB_API_KEY")
    else:
        monkeypatch.setenv("LANCEDB_API_KEY", key)
    assert run(["share", "status"]) != 0
    said = capsys.readouterr().err
    assert why in said
    assert "credentials" in said
    notes = answer(capsys, "search", "--team", "why does the valve leak")["notes"]
    assert any("only your own corpus answered" in note and why in note for note in notes)


def test_the_key_is_in_no_file_of_the_home(ada):
    assert [path for path in ada.corpus.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []
