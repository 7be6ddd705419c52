"""What stands in front of a server on HTTP, without a network: each request is handed to it as ASGI has them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from aicx.servers.http.guard import LOOPBACK, MAX_BYTES, AccessPolicy, Guard, Rate, RequestRefused
from tests.servers.mcp.mcp_client import TOKEN

PLENTY = Rate(1e6, 1e6)


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers with the body it got."""
    message = await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": message["body"]})


def post(
    headers: dict[str, str] | None = None,
    body: tuple[bytes, ...] = (b"hello",),
    *,
    path: str = "/mcp",
    method: str = "POST",
    token: str | None = TOKEN,
    rate: Rate = PLENTY,
    hosts: frozenset[str] = LOOPBACK,
    **rules: Any,
) -> tuple[int, Any, dict[bytes, bytes]]:
    """Status, body and headers of the answer to one request; headers set to "" are not sent."""
    sent = {"host": "127.0.0.1:8044", "authorization": f"Bearer {TOKEN}"} | (headers or {})
    raw = [(name.encode(), value.encode("latin-1")) for name, value in sent.items() if value]
    scope = {"type": "http", "method": method, "path": path, "headers": raw}
    coming = [{"type": "http.request", "body": part, "more_body": part is not body[-1]} for part in body]
    answers: list[Any] = []

    async def receive() -> Any:
        if not coming:
            await asyncio.sleep(60)
        return coming.pop(0)

    async def send(message: Any) -> None:
        answers.append(message)

    asyncio.run(Guard(echo, AccessPolicy(token=token, hosts=hosts, rate=rate, **rules))(scope, receive, send))
    return answers[0]["status"], answers[1]["body"], dict(answers[0]["headers"])


def test_a_request_that_passes_is_handed_on_whole() -> None:
    assert post(body=(b"one ", b"two ", b"three"))[:2] == (200, b"one two three")


@pytest.mark.parametrize("shown", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ÿ"])
def test_without_the_token_nothing_is_answered(shown: str) -> None:
    status, body, headers = post({"authorization": shown})
    assert status == 401
    assert headers[b"www-authenticate"] == b"Bearer"
    assert TOKEN.encode() not in body


def test_no_token_is_asked_for_where_none_is_set() -> None:
    assert post({"authorization": ""}, token=None)[0] == 200


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8044", "127.0.0.1", "[::1]:9000", "[0:0:0:0:0:0:0:1]", "[0000::0001]:1"]
)
def test_the_names_of_this_machine_are_answered(host: str) -> None:
    assert post({"host": host})[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "",
        "evil.example",
        "evil.example:8044",
        "127.0.0.1.evil.example",
        "localhost.",
        "localhost.evil",
        "localhost:x@evil.example",
        "localhost:80@evil.example:80",
        "localhost:80:80",
        "localhost:99999",
        "localhost/",
        "localhost,evil.example",
        "localhost evil.example",
        "[::2]",
        "[::1]evil.example",
        "[::1",
        "[::1%25lo]",
        "::1",
        "a@127.0.0.1",
        "127.1",
        "2130706433",
    ],
)
def test_a_name_that_somebody_pointed_here_is_not(host: str) -> None:
    assert post({"host": host})[0] == 421


def test_a_further_name_is_answered_when_it_is_allowed() -> None:
    assert post({"host": "build.example:8044"}, hosts=LOOPBACK | {"build.example"})[0] == 200


@pytest.mark.parametrize("origin", ["http://localhost:6274", "http://127.0.0.1", "https://[::1]:1", "HTTP://LocalHost"])
def test_pages_of_this_machine_may_ask(origin: str) -> None:
    assert post({"origin": origin})[0] == 200


@pytest.mark.parametrize(
    "origin",
    [
        "null",
        "http://evil.example",
        "file://localhost",
        "http://localhost.evil.example",
        "http://localhost:x@evil.example",
        "http://localhost@evil.example",
        "http://localhost/",
        "http://localhost?",
        "http://localhost\\@evil.example",
        "http://localhost http://evil.example",
        "http://localhost.",
        "http://[::1",
        "http://[::1].evil.example",
        "http://",
        "localhost",
        "x",
    ],
)
def test_pages_of_other_sites_may_not(origin: str) -> None:
    assert post({"origin": origin})[0] == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "cors", "navigate"])
def test_what_other_sites_embed_or_link_to_is_not_answered(site: str, mode: str) -> None:
    assert post({"sec-fetch-site": site, "sec-fetch-mode": mode}, method="GET", path="/api/x")[0] == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_servers_own_page_and_whoever_types_its_address_are_answered(site: str) -> None:
    assert post({"sec-fetch-site": site, "sec-fetch-mode": "cors"}, method="GET", path="/api/x")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_to_the_page_may_be_followed(site: str) -> None:
    assert post({"sec-fetch-site": site, "sec-fetch-mode": "navigate"}, method="GET", path="/")[0] == 200


@pytest.mark.parametrize(("method", "mode"), [("GET", "no-cors"), ("POST", "navigate")])
def test_the_page_is_not_embedded_nor_sent_anything_by_others(method: str, mode: str) -> None:
    assert post({"sec-fetch-site": "cross-site", "sec-fetch-mode": mode}, method=method, path="/")[0] == 403


def test_a_refused_request_ends_its_connection() -> None:
    refusals = [{"host": "evil.example"}, {"origin": "null"}, {"authorization": ""}, {"content-length": "9" * 9}]
    answers = [post(headers) for headers in refusals]
    assert [status for status, _, _ in answers] == [421, 403, 401, 413]
    assert {headers[b"connection"] for _, _, headers in answers} == {b"close"}


def test_place_is_checked_before_the_token() -> None:
    assert post({"host": "evil.example", "authorization": ""})[0] == 421


@pytest.mark.parametrize("headers", [{}, {"content-length": "5"}])
def test_a_large_request_is_refused(headers: dict[str, str]) -> None:
    half = b"x" * (MAX_BYTES // 2)
    assert post(headers, body=(half, half, b"x"))[0] == 413


def test_a_request_that_says_it_is_large_is_not_read() -> None:
    status, _, _ = post({"content-length": str(MAX_BYTES + 1)}, body=())
    assert status == 413


def test_a_slow_request_is_given_up() -> None:
    assert post(body=(), body_seconds=0.05)[0] == 408


def test_too_many_requests_are_told_when_to_come_back() -> None:
    rate = Rate(1, 2, clock=lambda: 0.0)
    assert [post(rate=rate)[0] for _ in range(3)] == [200, 200, 429]
    assert post(rate=rate)[2][b"retry-after"] == b"2"


def test_a_stranger_uses_up_nobodys_rate() -> None:
    rate = Rate(1, 1, clock=lambda: 0.0)
    assert [post({"authorization": ""}, rate=rate)[0] for _ in range(5)] == [401] * 5
    assert post(rate=rate)[0] == 200


def test_a_bucket_fills_again_and_no_further_than_its_burst() -> None:
    times = iter([0.0, 0.0, 0.0, 0.5, 100.0, 100.0, 100.0])
    rate = Rate(2, 2, clock=lambda: next(times))
    assert [rate.take() for _ in range(6)] == [0.0, 0.0, 0.0, 0.0, 0.0, 0.5]


def test_what_is_open_needs_no_token_and_is_not_counted() -> None:
    rate = Rate(1, 1, clock=lambda: 0.0)
    asked = [post({"authorization": ""}, path="/open", rate=rate, is_open=lambda scope: scope["path"] == "/open")]
    asked += [post(rate=rate), post(rate=rate)]
    assert [status for status, _, _ in asked] == [200, 200, 429]


def test_what_is_open_is_not_open_to_other_sites() -> None:
    assert post({"origin": "http://evil.example"}, is_open=lambda scope: True)[0] == 403


def test_a_check_of_the_servers_own_comes_after_the_token() -> None:
    def check(scope: Any) -> None:
        raise RequestRefused(404, "nowhere")

    assert post(check=check)[0] == 404
    assert post({"authorization": ""}, check=check)[0] == 401


@pytest.mark.parametrize("name", ["host", "authorization", "origin"])
def test_a_header_that_decides_may_stand_there_once(name: str) -> None:
    raw = [(b"host", b"localhost"), (name.encode(), b"localhost"), (name.encode(), b"evil.example")]
    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": raw}
    asyncio.run(Guard(echo, AccessPolicy(token=None, hosts=LOOPBACK, rate=PLENTY))(scope, None, send))  # type: ignore[arg-type]
    assert answers[0]["status"] == 400


def test_refusals_are_json_of_one_line() -> None:
    _, body, headers = post({"host": "evil.example"})
    assert headers[b"content-type"] == b"application/json"
    assert json.loads(body).keys() == {"ok", "error", "hint"}
    assert b"\n" not in body
