"""Searching and indexing: libraries missing, files damaged, runs killed, odd questions, many at once.

Every run ends with an answer or with an error that says what to do next; none is silently empty, none a traceback.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.vector_state import vector_state
from aicx.installation import install_command
from aicx.storage.derived import changing, withdraw
from tests.corpus.builders import ClaudeLog, Home
from tests.engine.search_helpers import copied, embed, keep
from tests.forked import Piped
from tests.parts import require
from tests.survival.runs import HERE, REPOSITORY, TIMEOUT, Commands, Run
from tests.survival.runs import Home as Runs

pytestmark = [pytest.mark.process, pytest.mark.filterwarnings("ignore")]  # lancedb's own

SESSIONS = 14


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = Home(tmp_path_factory.mktemp("stored"))
    for number in range(SESSIONS):
        log = ClaudeLog(f"{number:08x}-0000-4000-8000-000000000001")
        log.prompt(f"The gasket of pump {number} leaks 🎉", number).answer(f"Washer {number} is worn.", number + 0.5)
        user.claude(log)
    keep(user)
    return user


@pytest.fixture(scope="module")
def embedded(stored: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = copied(stored, tmp_path_factory.mktemp("embedded"))
    keep(user)
    embed(user)
    return user


@pytest.fixture
def user(stored: Home, tmp_path: Path) -> Home:
    return copied(stored, tmp_path)


@pytest.fixture
def with_vectors(embedded: Home, tmp_path: Path) -> Home:
    return copied(embedded, tmp_path)


def run(user: Home, *arguments: str, by: Commands = HERE, **how: Any) -> Run:
    found = by.run(Runs(user.root, user.corpus), *arguments, **how)
    assert "Traceback" not in found.err
    assert found.code != 70, found.err
    return found


def hits(user: Home, *arguments: str) -> list[str]:
    """The ids of the answers, after a run that succeeded."""
    found = run(user, "search", *arguments, "--json")
    assert found.code == 0, found.err
    return [item["id"] for item in json.loads(found.out)["items"]]


def begun(user: Home, *arguments: str, code: str | None = None) -> Piped:
    environ = {**user.environ, "PATH": os.environ["PATH"], "TERM": "dumb"}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return Piped(arguments, environ, REPOSITORY, **pipes, code=code)


# Libraries that are not there -----------------------------------------------------------------------------------------

_WITHOUT = """
import sys
for name in [name for name in sys.modules if name.partition(".")[0] in ("lancedb", "pyarrow")]:
    del sys.modules[name]
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("lancedb", "pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import tests.embedder
from aicx.cli import run
sys.exit(run(sys.argv[1:]))
"""


def without_lancedb(user: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = begun(user, *arguments, code=_WITHOUT).to_end(timeout=TIMEOUT)
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err
    return subprocess.CompletedProcess(arguments, done.returncode, out, err)


def test_indexing_without_lancedb_says_what_to_install(user):
    (user.corpus / "config.toml").write_text('embedding_base_url = "http://127.0.0.1:9"\nembedding_dimensions = 8\n')
    done = without_lancedb(user, "index", "--embedder", "http", "--model", "m")
    assert (done.returncode, done.stdout) == (4, "")
    assert f"next: {install_command('semantic')}" in done.stderr


def test_searching_without_lancedb_is_as_before_where_nobody_indexed(user):
    done = without_lancedb(user, "search", "washer 7")
    assert (done.returncode, done.stderr) == (
        0,
        f"5 answers of {SESSIONS} candidates, ranked by lexical.\nTimes are UTC.\n",
    )


def test_a_question_by_meaning_does_without_lancedb(with_vectors):
    done = without_lancedb(with_vectors, "search", "washer 7", "--mode", "dense")
    assert (done.returncode, "Washer 7 is worn." in done.stdout) == (0, True)
    assert "ranked by dense." in done.stderr


@pytest.mark.parametrize("asked", [("index", "status"), ("doctor", "--quick"), ("doctor",)])
def test_what_only_asks_about_an_index_does_without_lancedb(with_vectors, asked):
    done = without_lancedb(with_vectors, *asked)
    assert done.returncode == 0, done.stderr


def test_the_status_without_lancedb_says_what_the_index_holds(with_vectors):
    done = without_lancedb(with_vectors, "index", "status", "--json")
    told = json.loads(done.stdout)
    assert (told["chunks"], told["behind"], told["dimensions"]) == (SESSIONS, 0, 64)


def test_the_status_of_an_index_without_its_copy_and_lancedb_is_exit_four(with_vectors):
    table = with_vectors.corpus / "index" / "vectors.lance"
    with changing(table):
        shutil.rmtree(table / "mapped")
    done = without_lancedb(with_vectors, "index", "status")
    assert (done.returncode, done.stdout) == (4, "")
    assert f"next: {install_command('semantic')}" in done.stderr


# Damage ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lacks", [0, 1])
def test_after_a_lost_catalogue_was_mended_doctor_status_and_search_agree(with_vectors, lacks):
    if lacks:
        with_vectors.claude(ClaudeLog("0000ffff-0000-4000-8000-000000000001").prompt("The valve of pump 99 hums", 0))
        assert run(with_vectors, "store").code == 0
    for path in with_vectors.corpus.glob("catalog.sqlite*"):
        path.unlink()
    assert run(with_vectors, "doctor", "--fix").code == 0
    checks = json.loads(run(with_vectors, "doctor", "--json").out)["checks"]
    assert {check["severity"] for check in checks} == {"green"}
    told = json.loads(run(with_vectors, "index", "status", "--json").out)
    asked = json.loads(run(with_vectors, "search", "washer 7", "--json").out)["oracle_status"]
    assert (told["lexical"]["behind"], told["behind"]) == (0, lacks)
    assert {name: state["behind"] for name, state in asked["freshness"].items()} == {"lexical": 0, "dense": lacks}
    assert (asked["rankers"], asked["stale_or_unknown"]) == (["dense", "lexical"], bool(lacks))
    done = json.loads(run(with_vectors, "index", "--json").out)
    assert (done["added"], done["unchanged"]) == (lacks, SESSIONS)
    assert json.loads(run(with_vectors, "index", "status", "--json").out)["behind"] == 0


def test_a_half_written_vector_index_is_named_and_words_answer(with_vectors):
    for path in (with_vectors.corpus / "index" / "vectors.lance" / "_versions").iterdir():
        path.write_bytes(path.read_bytes()[:30])
    answered = run(with_vectors, "search", "washer 7")
    assert answered.code == 0
    assert "Washer 7 is worn." in answered.out
    assert "answered without meaning" in answered.err
    refused = run(with_vectors, "search", "washer 7", "--mode", "dense")
    assert (refused.code, refused.out) == (7, "")
    assert "aicx doctor --fix" in refused.err
    assert run(with_vectors, "index", "drop").code == 0
    assert "without meaning" not in run(with_vectors, "search", "washer 7").err


def test_a_half_written_index_of_words_is_named_and_mended_by_the_next_store(user):
    for path in (user.corpus / "index" / "lexical").glob("*.idx"):
        path.write_bytes(path.read_bytes()[:30])
    answered = run(user, "search", "washer 7")
    assert answered.code == 0
    assert "Washer 7 is worn." in answered.out
    assert "every chunk was read instead" in answered.err
    assert run(user, "store").code == 0
    assert "ranked by lexical." in run(user, "search", "washer 7").err


def test_an_index_of_another_version_is_named_and_words_answer(with_vectors):
    import lancedb

    shutil.rmtree(with_vectors.corpus / "index" / "vectors.lance")
    withdraw(with_vectors.corpus / "index" / "vectors.lance")
    lancedb.connect(str(with_vectors.corpus / "index")).create_table("vectors", [{"id": "a", "text": "washer"}])
    answered = run(with_vectors, "search", "washer 7")
    assert "Washer 7 is worn." in answered.out
    assert "made by another version of aicx" in answered.err
    assert "aicx index --rebuild" in answered.err


def test_a_model_that_is_gone_is_named_and_words_answer(with_vectors):
    layout = with_vectors.settings.layout
    write_manifest(layout, "vectors", read_manifest(layout)["vectors"] | {"embedder": "static"})
    answered = run(with_vectors, "search", "washer 7")
    assert "Washer 7 is worn." in answered.out
    assert "answered without meaning: The model minilm" in answered.err


# Odd questions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("indexed", ["stored", "embedded"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("washer " * 14_000, True),
        ("x" * 100_000, False),
        ("🎉", True),
        ('washer "gasket', True),
        ('"', None),
        ("the of and", None),
        ("'); DROP TABLE chunks; --", False),
    ],
    ids=["100 KB", "100 KB in one", "emoji", "unbalanced", "quote", "stop words", "SQL"],
)
def test_an_odd_question_has_an_answer_or_an_error(request, text, found, indexed):
    answered = run(request.getfixturevalue(indexed), "search", text)
    if found is None:
        assert (answered.code, answered.out) == (2, "")
        assert "next:" in answered.err
    else:
        assert answered.code == 0
        assert bool(answered.out) == found
        assert found or "Nothing matches" in answered.err


def test_no_filter_is_read_as_syntax(embedded):
    for value in ("' OR 1=1 --", "*:*"):
        assert hits(embedded, "washer", "--branch", value) == []
    assert len(hits(embedded, "washer", "-n", "100")) == SESSIONS


# Several at once, and killed ------------------------------------------------------------------------------------------

_INDEX = """
import sys, time
from indexer.vectors import Upkeep
from aicx.config import load_settings
from aicx.engine.embedder_choice import Choice
from aicx.engine.vector_index import build_vectors
from tests.embedder import DeterministicEmbedder
embed = DeterministicEmbedder.embed
def slowly(self, texts):
    time.sleep(float(sys.argv[1]))
    return embed(self, texts)
DeterministicEmbedder.embed = slowly
def report(progress):
    print(progress.done, flush=True)
upkeep = Upkeep(documents_at_once=1, commit_passages=1)
rebuild = "rebuild" in sys.argv
build_vectors(load_settings(), Choice("test"), rebuild=rebuild, on_progress=report, notify=print, upkeep=upkeep)
print("done", flush=True)
"""


def indexing(user: Home, *arguments: str) -> Piped:
    """`aicx index` with the embedder for tests, a commit a chunk, slowed down; says how many are done."""
    return begun(user, *arguments, code=_INDEX)


def until_done(index: Piped, number: int) -> None:
    assert index.stdout is not None
    assert any(line.strip() == b"%d" % number for line in index.stdout), "it ended before"


def killed_at(user: Home, done: int) -> None:
    with indexing(user, "0.02") as process:
        until_done(process, done)
        process.send_signal(signal.SIGKILL)


@pytest.fixture
def engine() -> None:
    require("semantic")


@pytest.mark.usefixtures("engine")
class TestKilled:
    def test_a_first_index_that_is_killed_answers_and_the_next_run_goes_on(self, user):
        keep(user)
        killed_at(user, 5)
        answered = run(user, "search", "washer 7")
        assert answered.code == 0
        assert "Washer 7 is worn." in answered.out
        assert f"the dense index is {SESSIONS} chunks behind; next: aicx index" in answered.err
        assert run(user, "index", "status").code == 0
        done = embed(user)
        assert done.unchanged >= 4
        assert (done.added + done.unchanged, vector_state(user.settings).behind) == (SESSIONS, 0)

    def test_an_index_that_is_killed_while_it_grows_answers_and_the_next_run_goes_on(self, with_vectors):
        user = with_vectors
        keep(user)
        embed(user)
        for number in range(6):
            log = ClaudeLog(f"{number:08x}-1111-4000-8000-000000000001")
            user.claude(log.prompt(f"The flange of pump {number} rusts", 1000 + number))
        keep(user)
        killed_at(user, 3)
        answered = run(user, "search", "flange", "--mode", "hybrid")
        assert answered.code == 0
        assert "the dense index is 6 chunks behind" in answered.err
        assert answered.out.count("rusts") >= 6
        done = embed(user)
        assert (done.added + done.unchanged, vector_state(user.settings).behind) == (SESSIONS + 6, 0)
        assert done.added < 6


def test_a_store_killed_while_it_makes_the_index_of_words_leaves_no_half_of_it(runner, user):
    before = set(hits(user, "washer", "-n", "100", "--mode", "scan"))
    assert len(before) == SESSIONS
    killed = 0
    for milliseconds in (15, 30, 45, 60, 80, 100, 130):
        (user.corpus / "index" / "lexical" / "meta.json").unlink(missing_ok=True)
        killed += run(user, "store", by=runner, kill_after=milliseconds / 1000).killed
        assert set(hits(user, "washer", "-n", "100")) == before
    assert killed
    assert run(user, "store").code == 0
    assert set(hits(user, "washer", "-n", "100", "--mode", "lexical")) == before


@pytest.mark.usefixtures("engine")
def test_five_searches_and_an_index_at_once_all_answer(with_vectors):
    user = with_vectors
    asked = ("washer",), ("washer", "--group", "session"), ("gasket", "--mode", "lexical")
    asked += ("washer", "--mode", "hybrid"), ("washer", "--mode", "scan")
    with indexing(user, "0.05", "rebuild") as index:
        until_done(index, 1)
        started = [begun(user, "search", *arguments, "--json", "-n", "100") for arguments in asked]
        answers = [process.to_end(timeout=TIMEOUT) for process in started]
        assert index.to_end(timeout=TIMEOUT).returncode == 0
    for answer in answers:
        assert (answer.returncode, answer.stderr) == (0, b"")
        assert len(json.loads(answer.stdout)["items"]) == SESSIONS
    assert vector_state(user.settings).behind == 0


@pytest.mark.usefixtures("engine")
def test_two_indexes_at_once_make_one(user):
    keep(user)
    with indexing(user, "0.1") as one:
        until_done(one, 1)
        other = indexing(user, "0")
        ended = [process.to_end(timeout=TIMEOUT) for process in (one, other)]
    assert [process.returncode for process in ended] == [0, 0]
    assert b"waiting for another aicx" in ended[1].stdout
    state = vector_state(user.settings)
    assert (len(state.table.versions), state.table.rows, state.behind) == (
        SESSIONS,
        2 * SESSIONS,
        0,
    )  # a prompt and an answer
