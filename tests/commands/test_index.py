"""`aicx index` through the real command line, with an embedder behind a small server of the test's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from retrieval.embedders import EmbedderSettings, open_embedder
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.engine.search_helpers import copied, keep
from tests.parts import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "json.md"


class Endpoint(ThreadingHTTPServer):
    """Speaks OpenAI's ``/embeddings`` with the embedder for tests, and remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.embedder = open_embedder("test", EmbedderSettings(Path(), max_tokens=512))
        self.texts: list[str] = []
        self.requests = 0
        self.refuses = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.server.texts += texts
        self.server.requests += 1
        vectors = self.server.embedder.embed(texts).tolist()
        body = json.dumps({"data": [{"index": row, "embedding": found} for row, found in enumerate(vectors)]}).encode()
        self.send_response(403 if self.server.refuses else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    require("semantic")
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def endpoint(server: Endpoint) -> Endpoint:
    server.texts, server.refuses = [], False
    return server


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = Home(tmp_path_factory.mktemp("stored"))
    user.claude(ClaudeLog(SESSION).prompt("reconnection backoff " * 20, 0))
    user.claude(ClaudeLog(OTHER).prompt("Bread and flour in the oven", 60))
    keep(user)
    return user


@pytest.fixture
def user(stored: Home, endpoint: Endpoint, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    user = copied(stored, tmp_path)
    keep(user)
    (user.corpus / "config.toml").write_text(
        f'embedding_base_url = "{endpoint.url}"\nembedding_dimensions = 64\nembedding_retries = 0\n'
    )
    user.used(monkeypatch)
    return user


@pytest.fixture
def engine() -> None:
    require("semantic")


BUILD = ["--embedder", "http", "--model", "m"]


def index(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["index", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, err = index(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    assert found.pop("schema") == "aicx.index/1"
    return found


def rankers(capsys: pytest.CaptureFixture[str], text: str = "flour") -> list[str]:
    assert run(["search", text, "--json"]) == 0
    found: list[str] = json.loads(capsys.readouterr().out)["oracle_status"]["rankers"]
    return found


# Nothing unless asked -------------------------------------------------------------------------------------------------


def test_storing_and_asking_embed_nothing(user, endpoint, capsys):
    assert run(["store"]) == 0
    assert run(["search", "flour", "-j"]) == 0
    assert not (user.corpus / "index" / "vectors.lance").exists()
    assert not (user.corpus / "models").exists()
    assert endpoint.texts == []


def test_the_status_of_no_index_is_no_error(user, capsys):
    code, out, err = index(capsys, "status")
    assert code == 0
    assert out.splitlines()[1] == "by meaning  there is no vector index"
    assert "Next: aicx index" in err


def test_dropping_no_index_is_exit_three(user, engine, capsys):
    code, _, err = index(capsys, "drop")
    assert code == 3
    assert "next: aicx index" in err


# Making one -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("engine")
class TestBuild:
    def test_what_was_done_is_said(self, user, capsys):
        code, out, err = index(capsys, *BUILD)
        assert (code, out) == (0, "")
        assert "Indexed 2 chunks (4 passages) in " in err
        assert "Next: aicx search" in err

    def test_the_answer_has_these_fields(self, user, capsys):
        found = answer(capsys, *BUILD)
        assert list(found) == ["added", "changed", "removed", "unchanged", "passages", "seconds", "gain"]
        assert (found["added"], found["unchanged"], found["passages"]) == (2, 0, 4)

    def test_its_gain_is_measured_where_that_is_wanted_and_an_endpoint_is_not_asked_for_it_else(self, user, capsys):
        assert answer(capsys, *BUILD)["gain"] is None
        found = answer(capsys, *BUILD, "--gain")["gain"]
        assert found == {"questions": 0, "words": None, "both": None, "more": None}
        assert "0 questions mined from your own history: too few" in index(capsys, *BUILD, "--gain")[2]

    def test_a_search_then_asks_both(self, user, capsys):
        index(capsys, *BUILD)
        assert rankers(capsys) == ["dense", "lexical"]
        assert run(["search", "reconnecktionn bakkoff", "--json"]) == 0
        (item,) = json.loads(capsys.readouterr().out)["items"]
        assert (item["session_id"], item["tier"]) == (SESSION, "nearest")

    def test_running_it_again_sends_nothing(self, user, endpoint, capsys):
        index(capsys, *BUILD)
        endpoint.texts.clear()
        assert "2 were up to date" in index(capsys, *BUILD)[2]
        assert endpoint.texts == []

    def test_only_what_is_new_is_sent(self, user, endpoint, capsys):
        index(capsys, *BUILD)
        user.claude(ClaudeLog("aaaa1111-0000-4000-8000-000000000001").prompt("The pump hums", 90))
        keep(user)
        endpoint.texts.clear()
        found = answer(capsys, *BUILD)
        assert (found["added"], found["unchanged"]) == (1, 2)
        assert "The pump hums" in endpoint.texts[0]

    def test_the_questions_that_calibrate_are_sent_together(self, user, endpoint, capsys):
        sent = endpoint.requests
        index(capsys, *BUILD)
        assert endpoint.requests - sent <= 4

    def test_the_index_may_lie_elsewhere(self, user, capsys, tmp_path):
        config = user.corpus / "config.toml"
        config.write_text(f'index_uri = "{tmp_path}/shared"\n{config.read_text()}')
        index(capsys, *BUILD)
        assert (tmp_path / "shared" / "vectors.lance").is_dir()
        assert not (user.corpus / "index" / "vectors.lance").exists()
        assert rankers(capsys) == ["dense", "lexical"]

    def test_another_model_needs_to_be_asked_for(self, user, capsys):
        index(capsys, *BUILD)
        code, _, err = index(capsys, "--embedder", "http", "--model", "other")
        assert code == 2
        assert "was made with" in err
        assert "aicx index --rebuild" in err
        assert answer(capsys, "--embedder", "http", "--model", "other", "--rebuild")["added"] == 2

    def test_an_endpoint_that_refuses_leaves_everything_as_it_was(self, user, endpoint, capsys):
        endpoint.refuses = True
        code, _, err = index(capsys, *BUILD)
        assert code == 1
        assert "403" in err
        assert rankers(capsys, "flour")[-1] == "lexical"

    def test_a_question_without_its_endpoint_is_answered_by_words_and_says_so(self, user, endpoint, capsys):
        index(capsys, *BUILD)
        endpoint.refuses = True
        assert run(["search", "flour"]) == 0
        printed = capsys.readouterr()
        assert "Bread and flour" in printed.out
        assert "warning: answered without meaning" in printed.err


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["--embedder", "word2vec"], "choose one of minilm"),
        (["--embedder", "sentence-transformers"], "--model"),
        (["everything"], "--help"),
    ],
    ids=["unknown", "no model", "no action"],
)
def test_what_makes_no_sense_is_exit_two_with_a_next_step(user, capsys, arguments, hint):
    code, _, err = index(capsys, *arguments)
    assert code == 2
    assert hint in err


def test_nothing_stored_yet_is_exit_three(user, engine, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "empty"))
    code, _, err = index(capsys, *BUILD)
    assert code == 3
    assert "next: aicx store" in err


# Looking at it, and letting go ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("engine")
class TestStatus:
    def test_an_index_in_step(self, user, capsys):
        index(capsys, *BUILD)
        code, out, err = index(capsys, "status")
        lines = out.splitlines()
        assert lines[0].startswith("by words    up to date, ")
        assert lines[1].startswith("by meaning  up to date, ")
        assert lines[3:] == ["holds       4 passages of 2 chunks", f"address     {user.corpus / 'index'}"]
        assert (code, err) == (0, "")

    def test_an_index_that_is_behind(self, user, capsys):
        index(capsys, *BUILD)
        user.claude(ClaudeLog("aaaa1111-0000-4000-8000-000000000001").prompt("The pump hums", 90))
        user.store()
        _, out, err = index(capsys, "status")
        assert out.splitlines()[1].startswith("by meaning  1 chunk behind")
        assert "Next: aicx index" in err

    def test_the_answer_has_these_fields(self, user, capsys):
        index(capsys, *BUILD)
        found = answer(capsys, "status")
        assert list(found) == [
            *("lexical", "exists", "embedder", "model", "uri", "passages", "chunks", "behind", "dimensions", "bytes")
        ]
        assert list(found["lexical"]) == ["exists", "behind", "size"]
        assert (found["embedder"], found["passages"], found["chunks"], found["behind"]) == ("http", 4, 2, 0)

    def test_every_field_is_documented(self, user, capsys):
        index(capsys, *BUILD)
        text = DOCUMENTATION.read_text("utf-8")
        text = text[text.index("## index:") : text.index("## show:")]
        found = {*answer(capsys, *BUILD), *answer(capsys, "status"), *answer(capsys, "drop")}
        assert [name for name in found if f"`{name}`" not in text] == []

    def test_a_damaged_index_is_exit_seven_with_a_next_step(self, user, capsys):
        index(capsys, *BUILD)
        for path in (user.corpus / "index" / "vectors.lance" / "data").iterdir():
            path.write_bytes(path.read_bytes()[:30])
        code, _, err = index(capsys, "status")
        assert code == 7
        assert "next: aicx doctor --fix" in err
        assert index(capsys, *BUILD)[0] == 0
        assert index(capsys, "status")[0] == 0


@pytest.mark.usefixtures("engine")
class TestDrop:
    def test_the_index_is_gone_and_words_answer(self, user, capsys):
        index(capsys, *BUILD)
        code, out, err = index(capsys, "drop")
        assert (code, out) == (0, "")
        assert "The vector index is deleted." in err
        assert not (user.corpus / "index" / "vectors.lance").exists()
        assert rankers(capsys) == ["lexical"]

    def test_the_answer_says_so(self, user, capsys):
        index(capsys, *BUILD)
        assert answer(capsys, "drop") == {"dropped": True}

    def test_an_index_whose_files_are_gone_can_be_let_go_of(self, user, capsys):
        import shutil

        index(capsys, *BUILD)
        shutil.rmtree(user.corpus / "index" / "vectors.lance")
        assert index(capsys, "drop")[0] == 0
        assert run(["search", "flour"]) == 0
        assert "without meaning" not in capsys.readouterr().err


# After storing --------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("arguments", [["store", "--index"], ["all", "--memex"], ["claude", "--index"]], ids=" ".join)
def test_what_was_stored_is_embedded_with_the_index_s_own_model(user, endpoint, capsys, arguments):
    assert index(capsys, *BUILD)[0] == 0
    endpoint.texts = []
    user.claude(ClaudeLog(THIRD).prompt("Honey and wax", 120))
    assert run(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.index("Stored 1 chunk") < printed.err.index("Indexed 1 chunk")
    assert any("Honey and wax" in text for text in endpoint.texts)
    assert rankers(capsys, "honey") == ["dense", "lexical"]


@pytest.mark.usefixtures("engine")
def test_the_report_has_what_was_embedded(user, capsys):
    assert index(capsys, *BUILD)[0] == 0
    user.claude(ClaudeLog(THIRD).prompt("Honey and wax", 120))
    assert run(["store", "--index", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["chunks_written"], found["index"]["added"], found["index"]["unchanged"]) == (1, 1, 2)


@pytest.mark.usefixtures("engine")
def test_an_embedder_that_refuses_leaves_the_corpus_stored(user, endpoint, capsys):
    assert index(capsys, *BUILD)[0] == 0
    user.claude(ClaudeLog(THIRD).prompt("Honey and wax", 120))
    endpoint.refuses = True
    assert run(["store", "--index"]) != 0
    assert "Stored 1 chunk" in capsys.readouterr().err
    assert len(user.sidecars()) == 3
