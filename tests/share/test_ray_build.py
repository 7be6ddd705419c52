"""A share that workers of Ray build is the one that a process builds, also where a worker dies."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aicx.errors import AicxError, UsageError
from aicx.share import build, cluster
from aicx.share.build import in_process
from aicx.share.leaving import find_own, forget_shared
from aicx.share.seals import read_seals, verify_database
from aicx.share.tables import WORDS
from aicx.share.upkeep import count_unindexed, maintain
from tests.corpus.builders import ClaudeLog
from tests.engine.search_helpers import NOW, copied, keep
from tests.share import workers
from tests.share.ray_nodes import two_nodes
from tests.share.stores import s3_server
from tests.share.teams import built, home, join, own_of, rows_of

pytestmark = [
    *(pytest.mark.needs("ray", "semantic", "test"), pytest.mark.slow, pytest.mark.process),
    pytest.mark.filterwarnings("ignore"),
]
SESSIONS = 6
SHARED = f"Shared: {SESSIONS} new sessions, 0 changed, 0 as they were; {SESSIONS} chunks ({SESSIONS} with vectors).\n"
SAME = ("key", "sidecar", "text", "sha256", *WORDS, "draw", "spans", "vectors", "idle", "session_title")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    spoken = [
        (f"{number:08x}-0000-4000-8000-000000000001", f"Why does valve {number} leak?", f"Gasket {number} was worn.")
        for number in range(SESSIONS)
    ]
    return home(tmp_path_factory.mktemp("stored"), *spoken)


@pytest.fixture(scope="module")
def store():
    with s3_server():  # workers have the environment in which Ray was started
        yield "s3://team/aicx"


@pytest.fixture(scope="module")
def ray(store):
    with cluster.connected(None, 2) as connected:
        yield connected


@pytest.fixture(scope="module")
def nodes():
    with two_nodes() as begun:
        yield begun


@pytest.fixture
def ada(stored, tmp_path, monkeypatch):
    user = copied(stored, tmp_path)
    user.used(monkeypatch)
    monkeypatch.setattr(build, "open_here", workers.opened)
    monkeypatch.setattr(cluster, "_IN_TASKS", ("test",))
    return user


def beside(ada, membership, place):
    """The same machine's part of another share."""
    return replace(join(ada, place, "ada"), machine=membership.machine)


def by_key(database):
    return sorted(rows_of(database, *SAME), key=lambda row: row["key"])


def test_workers_make_the_rows_that_a_process_makes(ada, membership, ray, tmp_path):
    built(ada, membership, engine=ray.write, unit=1)
    database = own_of(ada, membership)
    other = beside(ada, membership, tmp_path / "other")
    built(ada, other, engine=in_process)
    assert by_key(database) == by_key(own_of(ada, other))
    assert verify_database(database) == (SESSIONS, SESSIONS, [])


def test_workers_commit_rows_once(ada, membership, ray):
    database = own_of(ada, membership)
    before = database.chunks.version
    built(ada, membership, engine=ray.write, unit=1)
    database.refresh()
    assert database.chunks.version - before == 1
    assert database.chunks.stats()["fragment_stats"]["num_fragments"] == SESSIONS


def test_actors_make_the_same_vectors_as_tasks(ada, membership, ray, tmp_path, monkeypatch):
    """As for MiniLM, of which the kind of this embedder makes it one."""
    built(ada, membership, engine=ray.write, unit=2)
    other = beside(ada, membership, tmp_path / "other")
    monkeypatch.setattr(cluster, "_IN_TASKS", ())
    built(ada, other, engine=ray.write, unit=2)
    assert by_key(own_of(ada, membership)) == by_key(own_of(ada, other))


@pytest.mark.parametrize(
    ("death", "in_tasks"),
    [(workers.killed_before_embedding, True), (workers.killed_after_writing, True), (workers.killed_midway, False)],
    ids=["a task before it embeds", "a task after it wrote", "an actor midway"],
)
def test_a_worker_killed_midway_loses_nothing_and_leaves_nothing_that_a_reader_sees(
    ada, membership, ray, tmp_path, monkeypatch, death, in_tasks
):
    monkeypatch.setattr(build, "open_here", death)
    monkeypatch.setattr(cluster, "_IN_TASKS", ("test",) if in_tasks else ())
    assert built(ada, membership, engine=ray.write, unit=1).sessions == SESSIONS
    assert not Path("/proc", (ada.corpus / "killed").read_text()).exists()
    database = own_of(ada, membership)
    assert verify_database(database) == (SESSIONS, SESSIONS, [])
    monkeypatch.setattr(build, "open_here", workers.opened)
    other = beside(ada, membership, tmp_path / "other")
    built(ada, other, engine=in_process)
    assert by_key(database) == by_key(own_of(ada, other))
    # A file that a killed worker had written belongs to no version of the table.
    written = len(list(Path(database.uri, "chunks.lance", "data").glob("*.lance")))
    assert written == SESSIONS + (death is workers.killed_after_writing)


def test_a_build_killed_before_its_commit_shows_nothing(ada, membership, ray):
    def killed(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        built(ada, membership, engine=ray.write, unit=1, on_progress=killed)
    database = own_of(ada, membership)
    assert (read_seals(database).live, rows_of(database, "key")) == ({}, [])
    assert built(ada, membership, engine=ray.write).sessions == SESSIONS


def test_the_error_of_a_stage_is_the_one_that_is_told(ada, membership, ray, monkeypatch):
    monkeypatch.setattr(build, "open_here", workers.failing)
    with pytest.raises(AicxError, match=r"^the model is gone$"):
        built(ada, membership, engine=ray.write)


def test_a_worker_that_cannot_reach_the_corpus_says_so(ada, membership, ray, monkeypatch):
    read_elsewhere = replace(ada.settings.layout, home=ada.root / "elsewhere")
    monkeypatch.setattr(build, "Recipe", lambda _, *rest: recipe(read_elsewhere.home, *rest))
    recipe = cluster.Recipe
    with pytest.raises(AicxError, match="elsewhere is not on this machine"):
        built(ada, membership, engine=ray.write)


def test_lancedb_finds_what_workers_indexed(ada, membership, ray, tmp_path, monkeypatch):
    from lancedb.query import MatchQuery

    def nearest_to(database, vector):
        asked = database.chunks.search(vector, vector_column_name="vectors").distance_type("cosine")
        return asked.minimum_nprobes(2).refine_factor(4).select(["key", "_distance"]).limit(1).to_arrow().to_pylist()

    def scores(database):
        found = database.chunks.search(MatchQuery("gasket", "said")).select(["key", "_score"]).limit(SESSIONS)
        return {row["key"]: row["_score"] for row in found.to_arrow().to_pylist()}

    built(ada, membership, engine=ray.write, unit=1)
    monkeypatch.setattr(cluster, "_MIN_ROWS", 0)
    monkeypatch.setattr(cluster, "SAMPLE", 3)
    monkeypatch.setattr(cluster, "_MAX_PIECES", 2)
    monkeypatch.setattr(cluster, "partitions_of_vectors", lambda _: 2)
    monkeypatch.setattr(cluster, "WORDS", ("said",))  # each takes seconds
    database = own_of(ada, membership)
    assert count_unindexed(database) == SESSIONS
    ray.index(database)
    database.refresh()
    assert [database.chunks.index_stats(name).num_unindexed_rows for name in ("said_idx", "vectors_idx")] == [0, 0]
    other = beside(ada, membership, tmp_path / "other")
    built(ada, other, engine=in_process)
    maintain(ada.settings.layout, other, own_of(ada, other))
    wanted, found = rows_of(database, "key", "vectors")[3], scores(database)
    assert len(found) == SESSIONS
    assert found == pytest.approx(scores(own_of(ada, other)))
    [nearest] = nearest_to(database, wanted["vectors"][0])
    assert (nearest["key"], nearest["_distance"]) == (wanted["key"], pytest.approx(0, abs=1e-3))
    # And lancedb goes on with the table and its indexes.
    ada.claude(ClaudeLog("99999999-0000-4000-8000-000000000001").prompt("And the filter?", 900))
    keep(ada)
    built(ada, membership)
    assert maintain(ada.settings.layout, membership, database) is None
    assert [database.chunks.index_stats(name).num_unindexed_rows for name in ("said_idx", "vectors_idx")] == [0, 0]
    assert verify_database(database) == (SESSIONS + 1, SESSIONS + 1, [])
    # What is forgotten leaves the index of vectors too, which is made anew.
    before = {path.name for path in Path(database.uri, "chunks.lance", "_indices").iterdir()}
    own = find_own(ada.settings, membership, session="99999999", project=None)
    assert forget_shared(membership, own, NOW, at_once=True).notes == []
    database.refresh()
    assert database.chunks.index_stats("vectors_idx").num_indexed_rows == SESSIONS
    assert not before & {path.name for path in Path(database.uri, "chunks.lance", "_indices").iterdir()}


def test_workers_write_to_an_object_store(ada, store, ray):
    membership = join(ada, f"{store}/workers", "ada")
    built(ada, membership, engine=ray.write, unit=3)
    assert verify_database(own_of(ada, membership)) == (SESSIONS, SESSIONS, [])


def on_cluster(nodes, ada, *options, opened="opened", **environment):
    """What `aicx share build` does in a process of its own: this one has a Ray already."""
    known = nodes.environment(**ada.environ, **environment)
    command = ["share", "build", "-p", "*", "--engine", "ray", "--address", nodes.address, "--yes", *options]
    arguments = [sys.executable, "-W", "ignore", "-m", "tests.share.on_cluster", opened, *command]
    return subprocess.run(arguments, env=known, cwd=ada.root, capture_output=True, text=True, timeout=400)


def test_a_cluster_builds_with_the_variables_that_it_is_given_and_writes_none_of_them(ada, store, nodes, tmp_path):
    membership = join(ada, f"{store}/cluster", "ada")
    given = {name: os.environ[name] for name in os.environ if name.startswith(("AWS_", "NO_PROXY"))}
    given["AWS_SECRET_ACCESS_KEY"] = "known-to-ada-alone"
    options = [option for name in given for option in ("--env", name)]
    done = on_cluster(nodes, ada, *options, RAY_AUTH_TOKEN=nodes.token, **given)
    assert (done.returncode, done.stderr) == (0, SHARED)
    other = beside(ada, membership, tmp_path / "other")
    built(ada, other, engine=in_process)
    assert by_key(own_of(ada, membership)) == by_key(own_of(ada, other))
    written = [file for file in nodes.folder.rglob("*") if file.is_file()]
    assert any(b"worker_process_setup_hook" in file.read_bytes() for file in written)
    assert not [file for file in written if b"known-to-ada-alone" in file.read_bytes()]


@pytest.mark.parametrize(
    ("shown", "says"),
    [({}, "wants a token"), ({"RAY_AUTH_TOKEN": "of-another-cluster" * 3}, "refuses the token of this machine")],
    ids=["no token", "another token"],
)
def test_a_cluster_that_wants_another_token_is_named(ada, membership, nodes, shown, says):
    done = on_cluster(nodes, ada, **shown)
    told = f"error: the Ray cluster at {nodes.address} {says}"
    hint = " next: `ray get-auth-token` on a machine of it prints the one to put into RAY_AUTH_TOKEN"
    assert done.stderr.splitlines()[-2:] == [told, hint]


def test_a_machine_of_a_cluster_killed_midway_loses_nothing(ada, membership, nodes, tmp_path):
    done = on_cluster(nodes, ada, opened="killed_with_its_machine", RAY_AUTH_TOKEN=nodes.token)
    assert (done.returncode, done.stderr) == (0, SHARED)
    assert not Path("/proc", (ada.corpus / "killed").read_text()).exists()
    database = own_of(ada, membership)
    assert verify_database(database) == (SESSIONS, SESSIONS, [])
    other = beside(ada, membership, tmp_path / "other")
    built(ada, other, engine=in_process)
    assert by_key(database) == by_key(own_of(ada, other))


def test_a_folder_that_a_killed_build_left_is_removed_by_the_next():
    begins = (
        "from aicx.share.cluster import _private_folder; held = _private_folder(); print(held.__enter__(), flush=True)"
    )
    killed = f"{begins}; import os; os.kill(os.getpid(), 9)"
    done = subprocess.run([sys.executable, "-c", killed], stdout=subprocess.PIPE, text=True)
    left = Path(done.stdout.strip())
    assert left.is_dir()
    with cluster._private_folder() as folder, cluster._private_folder():
        assert not left.exists()
        assert Path(folder).is_dir()
    assert not Path(folder).exists()


def test_a_service_writes_its_files_itself(ada, membership):
    with pytest.raises(UsageError, match="is a service"):
        cluster.check_address(replace(own_of(ada, membership), uri="db://team"))


def test_ray_is_told_to_tell_nobody(ray):
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
