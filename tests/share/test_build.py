"""A share built at once is what a push makes of it, and is seen only when it is whole."""

from __future__ import annotations

import json
import socket

import pytest

from aicx.cli import run
from aicx.engine.embedder_choice import Choice
from aicx.errors import AicxError, UsageError
from aicx.share import build as module
from aicx.share import cluster
from aicx.share.build import find_choice
from aicx.share.seals import read_seals, verify_database
from aicx.share.tables import VectorModel, create_database
from tests.embedder import DeterministicEmbedder
from tests.engine.search_helpers import ignore
from tests.share.teams import PUMP, VALVE, built, give, home, join, own_of, rows_of

pytestmark = [pytest.mark.needs("semantic", "test"), pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
SAME = ("key", "sidecar", "text", "sha256", "said", "header", "tool", "draw", "spans", "vectors")


def test_a_build_makes_the_rows_that_a_push_does(ada, membership):
    give(ada, membership)
    pushed = sorted(rows_of(own_of(ada, membership), *SAME), key=lambda row: row["key"])
    give(ada, membership, "nothing-like-it")
    built(ada, membership)
    assert sorted(rows_of(own_of(ada, membership), *SAME), key=lambda row: row["key"]) == pushed
    assert verify_database(own_of(ada, membership)) == (2, 2, [])


def test_a_passage_with_nothing_to_embed_hides_no_other_of_its_chunk(tmp_path, monkeypatch):
    """LanceDB finds no row by meaning that has a vector of zeros."""
    embed = DeterministicEmbedder.embed_passages

    def mute(self, texts):
        return embed(self, ["" if "gasket" in text or "hum" in text else text for text in texts])

    monkeypatch.setattr(DeterministicEmbedder, "embed_passages", mute)
    whole = "A bearing of the pump hums."
    user = home(tmp_path, (VALVE, "Why does the valve leak?", "The gasket was worn."), (PUMP, "It hums, why?", whole))
    membership = join(user, tmp_path / "share", "ada")
    rows = []
    for share in (give, built):
        share(user, membership)
        database = own_of(user, membership)
        rows.append({row["session_id"]: row for row in rows_of(database, "session_id", "vectors", "spans")})
        [vector] = rows[-1][VALVE]["vectors"]
        nearest = database.chunks.search(vector, vector_column_name="vectors").distance_type("cosine")
        assert [row["session_id"] for row in nearest.select(["session_id"]).to_list()] == [VALVE]
        assert (rows[-1][PUMP]["vectors"], rows[-1][PUMP]["spans"]) == (None, None)
        give(user, membership, "nothing-like-it")
    assert rows[0] == rows[1]


def test_a_build_commits_rows_once_and_seals_once(ada, membership):
    database = own_of(ada, membership)
    before = database.chunks.version, database.sessions.version
    built(ada, membership, unit=1)
    database.refresh()
    assert (database.chunks.version - before[0], database.sessions.version - before[1]) == (1, 1)


def test_a_push_after_a_build_finds_nothing_to_send(ada, membership):
    built(ada, membership)
    assert give(ada, membership).sessions == 0


def test_rows_with_vectors_are_not_replaced_by_those_of_a_home_without_an_index(ada, membership):
    built(ada, membership)
    ada.settings.layout.index_manifest.unlink()
    assert give(ada, membership).sessions == 0


def test_a_build_sends_vectors_for_sessions_that_were_pushed_without(ada, membership, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("aicx.share.rows.read_manifest", lambda layout: {})
        assert give(ada, membership).vectors == 0
    assert built(ada, membership).vectors == 2
    assert len(rows_of(own_of(ada, membership), "chunk")) == 2


def test_a_share_whose_model_cannot_be_had_gets_rows_without_vectors(ada, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "made_with", lambda settings: Choice("test"))
    monkeypatch.setattr(module, "_PACKAGED", ())
    database = create_database(str(tmp_path / "other"), VectorModel("of another world", "other", 4))
    assert find_choice(ada.settings, database, ignore) is None
    membership = join(ada, tmp_path / "other", "ada")
    assert built(ada, membership, choice=None).vectors == 0
    assert [row["vectors"] for row in rows_of(own_of(ada, membership), "vectors")] == [None, None]


def test_a_build_killed_midway_shows_nothing_and_the_next_one_shows_all(ada, membership):
    done = []

    def killed(*step):
        done.append(step)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        built(ada, membership, unit=1, on_progress=killed)
    database = own_of(ada, membership)
    assert (len(done), read_seals(database).live, rows_of(database, "key")) == (1, {}, [])
    assert built(ada, membership).sessions == 2
    assert verify_database(database) == (2, 2, [])


def test_a_build_killed_before_its_seals_shows_nothing_and_the_next_one_shows_all(ada, membership, monkeypatch):
    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(module, "write_seals", killed)
        with pytest.raises(KeyboardInterrupt):
            built(ada, membership)
    assert read_seals(own_of(ada, membership)).live == {}
    built(ada, membership)
    assert len(rows_of(own_of(ada, membership), "chunk")) == 2


def test_a_session_of_which_nothing_can_be_read_is_named_and_not_sealed(ada, membership):
    for path in ada.corpus.rglob(f"*{VALVE}*.md"):
        path.unlink()
    pushed = built(ada, membership, unit=1)
    assert pushed.sessions == 1
    assert f"claude:{VALVE}: none of its chunks can be read" in pushed.unreadable[-1]


def test_the_command_builds_and_says_what_it_did(ada, membership, capsys):
    assert run(["share", "build", "--project", "orb*"]) == 2
    assert "needs a confirmation" in capsys.readouterr().err
    assert run(["share", "build", "--project", "orb*", "--yes", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["new"], done["chunks"], done["vectors"]) == (2, 2, 2)
    assert run(["share", "verify"]) == 0


def test_options_of_ray_are_refused_for_one_process(ada, membership, capsys):
    assert run(["share", "build", "--workers", "2", "--yes"]) == 2
    assert "--engine ray" in capsys.readouterr().err


def test_a_release_without_ray_says_how_to_get_it(ada, membership, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lance_ray", None)
    assert run(["share", "build", "--engine", "ray", "--project", "orb*", "--yes"]) == 4
    assert "[ray]" in capsys.readouterr().err


def test_a_cluster_at_whose_address_nothing_listens_is_named_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        cluster.check_answer(address)
    with pytest.raises(AicxError, match=f"no Ray answers at {address}: Connection refused"):
        cluster.check_answer(address)


@pytest.mark.parametrize("address", ["ray://10.0.0.5:10001", "10.0.0.5:port"])
def test_a_cluster_is_named_by_a_host_and_a_port(address) -> None:
    with pytest.raises(UsageError, match=f"^{address} is not HOST:PORT"):
        cluster.check_answer(address)


def test_variables_are_for_a_cluster_and_have_to_be_there(ada, membership, capsys) -> None:
    assert run(["share", "build", "--engine", "ray", "--env", "HOME", "--yes"]) == 2
    assert "--env is for the workers of a cluster" in capsys.readouterr().err
    assert run(["share", "build", "--engine", "ray", "--address", "10.0.0.5:6379", "--env", "AICX_NONE", "--yes"]) == 2
    assert "your environment has no AICX_NONE" in capsys.readouterr().err


def test_a_cluster_that_ray_looks_up_by_itself_is_left_to_it() -> None:
    cluster.check_answer("auto")
