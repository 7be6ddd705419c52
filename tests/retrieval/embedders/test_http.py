"""The embedder behind HTTP: batches, patience, pace, and a key that never shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from aicx.errors import UsageError
from retrieval.embedders import EmbedderSettings
from retrieval.embedders.http import EndpointFailed, HttpEmbedder, load
from tests.parts import require

KEY = "sk-not-a-real-key"
Answer = tuple[int, dict[str, str], Any]


class Server(ThreadingHTTPServer):
    """Gives the answers it was told, then vectors; notes what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[Answer] = []
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.together: threading.Barrier | None = None  # at which requests wait for one another
        self.by_text = False  # a vector says which number its text is


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), sent))
        if self.server.together:
            self.server.together.wait(timeout=10)
        numbers = map(float, sent["input"]) if self.server.by_text else (4 / 3 * (row + 1) for row in range(64))
        data = [{"index": row, "embedding": [3.0, 3.0 * next(numbers)]} for row in range(len(sent["input"]))]
        status, headers, body = self.server.answers.pop(0) if self.server.answers else (200, {}, {"data": data[::-1]})
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    require("semantic")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def build(server: Server, slept: list[float]) -> Callable[..., HttpEmbedder]:
    def build(**settings: Any) -> HttpEmbedder:
        url = f"http://127.0.0.1:{server.server_port}/v1/"
        chosen = {"base_url": url, "model": "m", "dimensions": 2, "key": KEY, "retries": 3, **settings}
        embedder = load("http", EmbedderSettings(Path(), **chosen))
        embedder._sleep, embedder._now = slept.append, lambda: sum(slept)
        return embedder

    return build


def test_a_request_names_model_texts_and_key(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    build().embed(["a", "b"])
    path, headers, sent = server.requests[0]
    assert (path, sent["model"], sent["input"]) == ("/v1/embeddings", "m", ["a", "b"])
    assert headers["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    build(key=None).embed(["a"])
    assert "Authorization" not in server.requests[0][1]


def test_answers_are_put_in_order_and_normalised(build: Callable[..., HttpEmbedder]) -> None:
    assert build().embed(["a", "b"])[0] == pytest.approx([0.6, 0.8])


def test_no_more_than_a_batch_is_sent_at_once(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    build(batch_size=2).embed(["a", "b", "c", "d", "e"])
    assert sorted(len(sent["input"]) for _, _, sent in server.requests) == [1, 2, 2]


def test_batches_wait_for_their_answers_together(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    server.together = threading.Barrier(4)
    build(batch_size=1).embed(["a", "b", "c", "d"])
    assert not server.together.broken


def test_texts_keep_their_rows_whichever_answer_comes_first(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    server.by_text = True
    texts = [str(number) for number in range(1, 30)]
    vectors = build(batch_size=3).embed(texts)
    assert [round(float(row[1] / row[0])) for row in vectors] == list(range(1, 30))


def test_a_refusal_ends_the_requests_that_wait(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    server.answers = [(401, {}, {})] * 200
    with pytest.raises(EndpointFailed, match="401"):
        build(batch_size=1).embed([str(number) for number in range(200)])
    assert len(server.requests) < 200


def test_blank_texts_are_not_sent(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    vectors = build().embed(["", "a", " \n"])
    assert [sent["input"] for _, _, sent in server.requests] == [["a"]]
    assert vectors[0].tolist() == [0, 0]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_failure_is_tried_again(
    server: Server, build: Callable[..., HttpEmbedder], slept: list[float], status: int
) -> None:
    server.answers = [(status, {}, {}), (status, {}, {})]
    build().embed(["a"])
    assert slept == [0.5, 1.0]


def test_retry_after_is_obeyed(server: Server, build: Callable[..., HttpEmbedder], slept: list[float]) -> None:
    server.answers = [(429, {"Retry-After": "7"}, {})]
    build().embed(["a"])
    assert slept == [7.0]


def test_a_date_in_retry_after_is_understood(
    server: Server, build: Callable[..., HttpEmbedder], slept: list[float]
) -> None:
    server.answers = [(503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, {})]
    build().embed(["a"])
    assert slept == [0.0]


def test_patience_ends(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    server.answers = [(503, {}, {})] * 4
    with pytest.raises(EndpointFailed, match="HTTP 503"):
        build().embed(["a"])
    assert len(server.requests) == 4


def test_a_refusal_is_not_tried_again(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    server.answers = [(401, {}, {"error": "bad key"})]
    with pytest.raises(EndpointFailed, match="bad key") as raised:
        build().embed(["a"])
    assert raised.value.hint == "Check the key."
    assert len(server.requests) == 1


def test_the_key_is_in_no_error_and_no_repr(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    server.answers = [(400, {}, {"error": f"the key {KEY} is bad"})]
    with pytest.raises(EndpointFailed) as raised:
        build().embed(["a"])
    assert KEY not in f"{raised.value!r} {raised.value} {raised.value.hint} {build()!r}"
    assert KEY not in repr(EmbedderSettings(Path(), key=KEY))


def test_a_redirect_is_not_followed(server: Server, build: Callable[..., HttpEmbedder]) -> None:
    server.answers = [(307, {"Location": "/elsewhere"}, {})]
    with pytest.raises(EndpointFailed, match="307"):
        build().embed(["a"])
    assert len(server.requests) == 1


def test_wrong_dimensions_say_which(build: Callable[..., HttpEmbedder]) -> None:
    with pytest.raises(EndpointFailed, match="2 dimensions, and 5 are set") as raised:
        build(dimensions=5).embed(["a"])
    assert raised.value.hint is not None
    assert "2" in raised.value.hint


@pytest.mark.parametrize(
    "body",
    [b"<html>", {"data": []}, {"error": "?"}, [], {"data": [{"index": 0}]}, {"data": [{"index": 0, "embedding": 3}]}],
)
def test_an_answer_without_vectors_is_an_error(server: Server, build: Callable[..., HttpEmbedder], body: Any) -> None:
    server.answers = [(200, {}, body)]
    with pytest.raises(EndpointFailed):
        build().embed(["a"])


def test_nobody_listening_is_an_error(build: Callable[..., HttpEmbedder], slept: list[float]) -> None:
    with pytest.raises(EndpointFailed, match="could not be reached"):
        build(base_url="http://127.0.0.1:1/v1", retries=1).embed(["a"])
    assert slept == [0.5]


def test_requests_keep_their_pace(build: Callable[..., HttpEmbedder], slept: list[float]) -> None:
    build(batch_size=1, requests_per_minute=30).embed(["a", "b", "c"])
    assert slept == [2.0, 2.0]


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x", "https://user:pass@host/v1"])
def test_a_base_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        load("http", EmbedderSettings(Path(), base_url=url, model="m", dimensions=2))


def test_missing_settings_are_named() -> None:
    with pytest.raises(UsageError, match="model, dimensions"):
        load("http", EmbedderSettings(Path(), base_url="http://127.0.0.1/v1"))
