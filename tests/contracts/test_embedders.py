"""What every embedder in the table promises, checked on each of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from aicx.errors import UsageError
from retrieval.embedders import EMBEDDERS, PACKAGED, Embedder, EmbedderSettings, open_embedder
from tests.models import save_tiny_bert, write_static

pytestmark = [
    pytest.mark.needs("semantic"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # torch and onnxruntime warn about themselves
]

TEXTS = ["fix the login", "🎉", "def parse(line): return 1", "数据", "the " * 500, "fix the login redirect loop"]


class _Endpoint(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        data = [
            {"index": row, "embedding": [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]}
            for row, text in enumerate(texts)
        ]
        body = json.dumps({"data": data[::-1]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A models folder with a tiny model exported twice: under its folder's name, and as if it were MiniLM."""
    root = tmp_path_factory.mktemp("exported")
    teacher = save_tiny_bert(root / "tiny")
    from indexer.export import export_model

    folder = export_model(str(teacher), root / "models")
    again = root / "models" / "minilm"
    again.mkdir()
    for path in folder.iterdir():
        (again / path.name).write_bytes(path.read_bytes())
    fields = json.loads((again / "model.json").read_text())
    (again / "model.json").write_text(json.dumps({**fields, "name": PACKAGED}))
    return teacher, root / "models"


@pytest.fixture(scope="module", params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    kind = request.param
    settings = EmbedderSettings(tmp_path_factory.mktemp("models"))
    if kind == "static":
        write_static(settings.models_dir)
    elif kind == "http":
        url = request.getfixturevalue("endpoint")
        settings = EmbedderSettings(settings.models_dir, base_url=url, model="m", dimensions=3, batch_size=2)
    elif kind in ("minilm", "sentence-transformers"):
        teacher, models_dir = request.getfixturevalue("exported")
        settings = EmbedderSettings(models_dir, model=None if kind == "minilm" else str(teacher))
    return open_embedder(kind, settings)


def test_vectors_are_float32_with_a_row_for_each_text(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32


def test_vectors_of_known_words_have_unit_length(embedder: Embedder) -> None:
    assert np.linalg.norm(embedder.embed(["fix the login", "the " * 500]), axis=1) == pytest.approx(1, abs=1e-5)


def test_order_of_texts_decides_nothing(embedder: Embedder) -> None:
    assert embedder.embed(TEXTS[::-1])[::-1] == pytest.approx(embedder.embed(TEXTS), abs=1e-5)


def test_a_text_gets_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    assert embedder.embed(TEXTS[:1])[0] == pytest.approx(embedder.embed(TEXTS)[0], abs=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_empty_text_gives_a_finite_vector(embedder: Embedder) -> None:
    assert np.isfinite(embedder.embed([""])).all()


def test_vectors_are_independent_of_each_other(embedder: Embedder) -> None:
    first, second = embedder.embed(["fix the login", "redirect loop"])
    assert float(first @ second) < 0.999


def test_tokens_end_in_the_order_of_the_text_and_at_its_words(embedder: Embedder) -> None:
    text = "fix the login"
    none, found = embedder.token_ends(["", text])
    assert none == []
    assert found == sorted(found)
    assert {3, 7, len(text)} <= set(found)


def test_token_ends_cut_nothing_off(embedder: Embedder) -> None:
    text = "fix " * 500
    assert embedder.token_ends([text])[0][-1] == len(text) - 1


def test_tokens_have_unit_vectors_and_places_where_the_model_gives_any(embedder: Embedder) -> None:
    found = embedder.embed_tokens(["fix the login", ""])
    if found is None:
        assert embedder.embed_tokens([]) is None
        return
    tokens, none = found
    assert len(tokens.vectors) == len(tokens.starts) == len(tokens.stops)
    assert np.linalg.norm(tokens.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert {"fix the login"[low:high] for low, high in zip(tokens.starts, tokens.stops, strict=True)} >= {"fix"}
    assert len(none.vectors) == 0


def test_the_kind_says_what_windows_are_for(embedder: Embedder) -> None:
    assert embedder.kind == ("static" if embedder.name.startswith(("static", "test")) else "contextual")


def test_fingerprint_name_and_window_are_given(embedder: Embedder) -> None:
    assert embedder.fingerprint
    assert embedder.name
    assert embedder.max_tokens > 0


def test_unknown_embedder_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        open_embedder("word2vec", EmbedderSettings(tmp_path))
    assert "static" in str(raised.value.hint)


def test_known_words_are_words_of_the_text_in_their_order(embedder: Embedder) -> None:
    words = ["fix", "the", "flibberzorp", "login"]
    kept = embedder.known_words(" ".join(words)).split()
    assert [word for word in words if word in kept] == kept
