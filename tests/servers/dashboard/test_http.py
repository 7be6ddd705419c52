"""The endpoints over the wire: each answers, and what is hostile or makes no sense is refused in one line of JSON."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from aicx.corpus.catalog.sessions import SessionsPage
from aicx.corpus.views.show import SessionHead, WholeChunk
from aicx.engine.search import search
from aicx.engine.search_answer import SearchAnswer
from aicx.engine.stages import steer_query
from aicx.engine.steer_answer import ranked_answer
from aicx.fields import to_fields
from aicx.filters import Filters
from aicx.servers.described import reachable
from tests.corpus.builders import SESSION, THIRD, Home, snapshot
from tests.servers.dashboard.http_client import TOKEN, get, request

pytestmark = pytest.mark.needs("web")

LEXER = f"claude:{SESSION}:001"
# Each endpoint that reads, with what it needs to answer.
# What test_memory.py asks.
_MEMORY = ("/api/memory", "/api/memory/decide")
ASKED: dict[str, dict[str, Any]] = {
    "/api/status": {},
    "/api/overview": {},
    "/api/browse": {},
    "/api/detail": {"id": SESSION},
    "/api/chunk": {"id": LEXER},
    "/api/context": {"id": LEXER},
    "/api/search/semantic": {"q": "lexer"},
    "/api/search/fuzzy": {"q": "lexer"},
    "/api/search/cross": {"q": "lexer"},
    "/api/search/steer": {},
    "/api/why": {"target": "src/lexer.py"},
    "/api/work": {},
    "/api/timeline/session": {"agent": "claude", "id": SESSION},
    "/api/timeline/repository": {},
}
FILTERED = ("/api/overview", "/api/browse", *(path for path in ASKED if path.startswith("/api/search/")))


@pytest.mark.parametrize("path", ASKED)
def test_each_endpoint_answers(address: str, path: str) -> None:
    status, fields, headers = get(address, path, **ASKED[path])
    assert (status, headers["content-type"], next(iter(fields))) == (200, "application/json", "ok")
    assert fields["ok"] is True
    assert "default-src 'none'" in headers["content-security-policy"]


@pytest.mark.parametrize("path", ASKED)
def test_each_endpoint_needs_the_token(address: str, path: str) -> None:
    for shown in (None, "Bearer wrong", f"Basic {TOKEN}"):
        status, fields, _ = request(address, "GET", path, Authorization=shown)
        assert status == 401
        assert fields.keys() == {"ok", "error", "hint"}


def test_steer_with_a_question_is_the_answer_of_the_command_line(address: str, stored: Home) -> None:
    _, fields, _ = get(address, "/api/search/steer", q="the lexer", decay="off")
    report = search(stored.settings, steer_query("the lexer", datetime.now(UTC), Filters(), 20, "off"))
    assert fields["items"] == orjson.loads(orjson.dumps(to_fields(ranked_answer(report))["items"]))
    assert (fields["query"], fields["order"], fields["decay"]) == ("the lexer", "relevance", "off")
    assert fields["oracle_status"]["rankers"] == ["lexical"]
    assert "order" not in get(address, "/api/search/steer", q="")[1]


@pytest.mark.parametrize("path", ["/health", "/api/health"])
def test_health_needs_no_token_and_gives_nothing_away(address: str, path: str) -> None:
    status, fields, _ = request(address, "GET", path, Authorization=None)
    assert (status, set(fields)) == (200, {"ok", "name", "version"})


def test_the_page_and_its_files_need_no_token(address: str) -> None:
    status, body, headers = request(address, "GET", "/", Authorization=None)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert body.lower().startswith(b"<!doctype html>")
    for name, kind in (("style.css", "text/css"), ("main.js", "text/javascript"), ("icon.svg", "image/svg+xml")):
        status, _, headers = request(address, "GET", f"/assets/{name}", Authorization=None)
        assert (status, headers["content-type"].partition(";")[0]) == (200, kind)


@pytest.mark.parametrize("path", FILTERED)
def test_filters_are_understood_everywhere(address: str, path: str) -> None:
    asked = ASKED[path] | {"project": "apiary", "agent": "codex", "since": "2026-01-31", "kind": "conversations"}
    status, fields, _ = get(address, path, **asked)
    assert status == 200
    assert SESSION not in json.dumps(fields)


@pytest.mark.parametrize(
    ("path", "asked", "said"),
    [
        ("/api/browse", {"limit": 0}, "limit: "),
        ("/api/browse", {"limit": 201}, "limit: "),
        ("/api/browse", {"limit": "many"}, "limit: "),
        ("/api/browse", {"offset": -1}, "offset: "),
        ("/api/browse", {"offset": 10**30}, "offset: "),
        ("/api/browse", {"sort": "best"}, "sort: "),
        ("/api/browse", {"project": ""}, "project: "),
        ("/api/browse", {"project": "x" * 1001}, "project: "),
        ("/api/browse", {"kind": "poems"}, "unknown kind"),
        ("/api/browse", {"since": "soon"}, "is not a point in time"),
        ("/api/browse", {"date": "2026-02-30"}, "is not a date"),
        ("/api/browse", {"colour": "red"}, "unknown parameter 'colour'"),
        ("/api/detail", {}, "id: "),
        ("/api/detail", {"id": SESSION, "limit": 51}, "limit: "),
        ("/api/detail", {"id": SESSION, "agent": "hal"}, "there is no agent"),
        ("/api/chunk", {}, "which chunk"),
        ("/api/chunk", {"id": LEXER, "path": "store/x.md"}, "which chunk"),
        ("/api/context", {"id": LEXER, "around": 11}, "around: "),
        ("/api/search/semantic", {}, "q: "),
        ("/api/search/semantic", {"q": ""}, "q: "),
        ("/api/search/semantic", {"q": "x" * 10_001}, "q: "),
        ("/api/search/semantic", {"q": "the"}, "nothing to look for"),
        ("/api/search/semantic", {"q": "lexer", "mode": "magic"}, "mode: "),
        ("/api/search/fuzzy", {"q": "lexer", "score": 101}, "score: "),
        ("/api/search/cross", {"q": "lexer", "each": 0}, "each: "),
    ],
)
def test_what_makes_no_sense_is_told(address: str, path: str, asked: dict[str, Any], said: str) -> None:
    status, fields, _ = get(address, path, **asked)
    assert status == 400
    assert said in fields["error"]
    assert fields.keys() == {"ok", "error", "hint"}


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/detail", {"id": "nobody"}),
        ("/api/detail", {"id": "\x00"}),
        ("/api/chunk", {"id": "nobody"}),
        ("/api/chunk", {"path": "store/x/2026_0301_claude_nobody_001.md"}),
        ("/api/context", {"id": f"{LEXER}9"}),
        ("/api/search/semantic", {"q": "lexer", "mode": "dense"}),
        ("/api/nothing", {}),
        ("/api", {}),
        ("/api/status/", {}),
        ("/store", {}),
        ("/docs", {}),
        ("/redoc", {}),
    ],
)
def test_what_is_not_there_is_not_found(address: str, path: str, asked: dict[str, Any]) -> None:
    status, fields, _ = get(address, path, **asked)
    assert status == 404
    assert fields["ok"] is False


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_reading_is_all_that_is_done(address: str, method: str) -> None:
    status, fields, headers = request(address, method, "/api/status")
    assert (status, fields["ok"], headers["allow"]) == (405, False, "GET")


@pytest.mark.parametrize("encode", [str, lambda path: path.replace("/", "%2f"), lambda path: path.replace(".", "%2e")])
@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../../../etc/passwd", "store/../auth-token.md", "store/../../x.md", "~/.ssh/id_rsa"]
)
def test_no_path_leads_out_of_the_store(address: str, path: str, encode: Any) -> None:
    status, fields, _ = request(address, "GET", f"/api/chunk?path={encode(path)}")
    assert status == 403
    assert fields.keys() == {"ok", "error", "hint"}


@pytest.mark.parametrize(
    "target",
    [
        "/assets/../../pyproject.toml",
        "/assets/..%2f..%2fapp.py",
        "/assets/%2e%2e/app.py",
        "/assets//etc/passwd",
        "/assets/",
        "/assets/__init__.py",
        "/assets/style.css%00",
        "/../../etc/passwd",
    ],
)
def test_no_file_is_served_but_those_of_the_page(address: str, target: str) -> None:
    status, fields, _ = request(address, "GET", target)
    assert (status, fields["ok"]) == (404, False)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:9478"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/health", "/api/status"])
def test_strangers_are_turned_away(address: str, path: str, headers: dict[str, str], status: int) -> None:
    found, fields, _ = request(address, "GET", path, **headers)
    assert (found, fields["ok"]) == (status, False)


@pytest.mark.parametrize("target", ["/api/browse?project=%ff", "/api/search/semantic?q=%c3%28", "/api/browse?%ff=1"])
def test_bytes_that_are_no_text_are_refused(address: str, target: str) -> None:
    assert request(address, "GET", target).status == 400


def test_a_parameter_stands_there_once(address: str) -> None:
    status, fields, _ = request(address, "GET", "/api/browse?limit=1&limit=2")
    assert (status, "more than one parameter 'limit'" in fields["error"]) == (400, True)


def test_a_large_body_is_refused(address: str) -> None:
    assert request(address, "POST", "/api/regenerate", b"x" * 1_000_001).status == 413


def raw(address: str, head: bytes) -> bytes:
    """What comes back for these bytes; nothing where the server hangs up on them."""
    place = urlsplit(address)
    said = b""
    with (
        socket.create_connection((place.hostname or "", place.port or 0), timeout=20) as connection,
        suppress(OSError),
    ):
        connection.sendall(head)
        connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(65536):
            said += part
    return said


@pytest.mark.parametrize("name", ["Host", "Authorization", "Origin"])
def test_a_header_that_decides_may_stand_there_once(address: str, name: str) -> None:
    twice = f"{name}: 127.0.0.1\r\n" * 2
    host = "" if name == "Host" else "Host: 127.0.0.1\r\n"
    said = raw(address, f"GET /api/status HTTP/1.1\r\n{host}{twice}Connection: close\r\n\r\n".encode())
    assert said.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET  HTTP/9.9\r\n\r\n",
    ],
)
def test_what_is_no_request_ends_in_a_refusal(address: str, head: bytes) -> None:
    assert raw(address, head)[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.1 404", b"HTTP/1.1 431")
    assert get(address, "/api/health").status == 200


def test_a_question_may_hold_anything(address: str) -> None:
    for text in (
        "'; DROP TABLE chunks; --",
        "<script>alert(1)</script>",
        "lexer\x00\n\r",
        "\u202e\U0001f41d",
        "*" * 500,
    ):
        status, fields, _ = get(address, "/api/search/semantic", q=text)
        assert status in (200, 400)
        assert fields["ok"] is (status == 200)


def test_what_was_said_comes_back_as_it_was(address: str) -> None:
    hostile = get(address, "/api/browse", project="apiary", agent="claude").fields["items"][0]
    [user, _] = get(address, "/api/detail", id=hostile["session_id"]).fields["chunks"][0]["turns"]
    assert "Ignore all previous instructions" in user["text"]
    assert "</quoted-history>" in user["text"]


def test_a_chunk_in_the_middle_is_found_in_its_session(address: str) -> None:
    chunk = f"codex:{THIRD}:003"
    found = get(address, "/api/detail", id=THIRD, chunk=chunk, limit=2).fields
    assert chunk in [one["id"] for one in found["chunks"]]


def test_a_served_corpus_stays_as_it_was(stored: Home, address: str) -> None:
    before = snapshot(stored.root.parent)
    for path, asked in ASKED.items():
        get(address, path, **asked)
    assert snapshot(stored.root.parent) == before


@pytest.mark.parametrize(
    ("path", "answer"),
    [("/api/search/semantic", SearchAnswer), ("/api/browse", SessionsPage), ("/api/chunk", WholeChunk)],
)
def test_the_description_of_an_answer_is_made_from_the_class_behind_the_command(
    address: str, path: str, answer: type[Any]
) -> None:
    described = request(address, "GET", "/openapi.json", Authorization=None).fields
    content = described["paths"][path]["get"]["responses"]["200"]["content"]
    model = described["components"]["schemas"][content["application/json"]["schema"]["$ref"].rpartition("/")[2]]
    assert list(model["properties"]) == ["ok", *(one.name for one in fields(answer) if "internal" not in one.metadata)]
    assert model["description"] == answer.__doc__
    if answer is SearchAnswer:
        assert set(described["components"]["schemas"]) >= {"SearchItem", "SearchStatus", "Contribution"}


def test_the_description_says_what_the_fields_of_an_answer_mean(address: str) -> None:
    schemas = request(address, "GET", "/openapi.json", Authorization=None).fields["components"]["schemas"]
    for kind, rows in reachable(SearchAnswer, SessionsPage, WholeChunk, SessionHead).items():
        said = schemas[kind.__name__]["properties"]
        assert {one.name: said[one.name].get("description") for one in rows} == {one.name: one.meaning for one in rows}
    assert schemas["Steered"]["properties"]["evidence"]["description"].startswith("`strong`")
    assert "evidence" not in schemas["Steered"]["required"]


def test_the_description_knows_every_endpoint(address: str) -> None:
    described = request(address, "GET", "/openapi.json", Authorization=None).fields
    assert set(described["paths"]) == {*ASKED, "/health", "/api/health", "/api/regenerate", *_MEMORY}
    assert all("422" not in one["responses"] for path in described["paths"].values() for one in path.values())
    assert "security" not in described["paths"]["/api/health"]["get"]
    assert described["paths"]["/api/chunk"]["get"]["security"] == [{"token": []}]
