"""What stands in front of the server on HTTP: who may ask, from where, how much and how often."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import orjson

import aicx

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH = "/mcp"
LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
MOST_BYTES = 1_000_000
_BODY_SECONDS = 10.0


class Refused(Exception):
    """A request that is answered with a status and one line, and goes no further."""

    def __init__(self, status: int, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers


class Rate:
    """A bucket of ``burst`` requests that fills with ``per_second``."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._left = burst
        self._at = clock()

    def take(self) -> float:
        """Takes one request; 0, or how many seconds to wait until there is one."""
        at = self._clock()
        self._left = min(self._burst, self._left + (at - self._at) * self._per_second)
        self._at = at
        if self._left < 1:
            return (1 - self._left) / self._per_second
        self._left -= 1
        return 0.0


class Guard:
    """An ASGI application around another, which sees only requests that passed; it gets their bodies whole.

    ``hosts`` are the names under which the server may be called. A page of another site that has its own name point to
    this machine (DNS rebinding) is turned away, as is any page whose origin is not one of them.
    """

    def __init__(self, app: App, *, token: str | None, hosts: frozenset[str], rate: Rate) -> None:
        self._app = app
        self._token = token.encode() if token is not None else None
        self._hosts = hosts
        self._rate = rate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            headers = _headers(scope)
            self._check_place(headers)
            if scope["path"] == "/health" and scope["method"] in ("GET", "HEAD"):
                await _answer(send, 200, {"ok": True, "name": "aicx", "version": aicx.__version__})
                return
            self._check_caller(headers)
            self._check_request(scope)
            body = await _body(headers, receive)
        except Refused as refused:
            await _answer(send, refused.status, {"ok": False, "error": refused.reason}, refused.headers)
            return
        await self._app(scope, _replaying(body, receive), send)

    def _check_place(self, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if _name(host) not in self._hosts:
            raise Refused(421, "this server is not called by that name; aicx serve --allow-host adds one")
        origin = headers.get(b"origin")
        if origin is not None and not self._allows(origin.decode("latin-1")):
            raise Refused(403, "pages of other sites may not ask this server")

    def _allows(self, origin: str) -> bool:
        try:
            found = urlsplit(origin)
        except ValueError:
            return False
        return found.scheme in ("http", "https") and _name(found.netloc) in self._hosts

    def _check_caller(self, headers: dict[bytes, bytes]) -> None:
        if self._token is None:
            return
        scheme, _, shown = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(shown.strip(), self._token):
            raise Refused(
                401, "a bearer token is needed; aicx serve says where it lies", **{"www-authenticate": "Bearer"}
            )

    def _check_request(self, scope: Scope) -> None:
        if scope["path"] != PATH:
            raise Refused(404, f"there is nothing here; the server answers at {PATH}")
        if scope["method"] != "POST":
            # No stream is kept open for the server's own messages, since it has none; no session is there to delete.
            raise Refused(405, "only POST is answered here", allow="POST")
        if wait := self._rate.take():
            raise Refused(429, "too many requests", **{"retry-after": str(int(wait) + 1)})


def _headers(scope: Scope) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in (b"host", b"authorization", b"origin") and name in found:
            raise Refused(400, f"more than one {name.decode()} header")
        found[name] = value
    return found


def _name(authority: str) -> str:
    """The name in ``name:port``, in small letters; an IPv6 address keeps its brackets."""
    if authority.startswith("["):
        return authority.partition("]")[0] + "]"
    return authority.partition(":")[0].lower()


async def _body(headers: dict[bytes, bytes], receive: Receive) -> bytes:
    """The whole body. Raises Refused when it is too large, or too slow in coming."""
    declared = headers.get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > MOST_BYTES:
        raise Refused(413, f"a request holds at most {MOST_BYTES} bytes")
    parts = []
    size = 0
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise Refused(400, "the request broke off")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MOST_BYTES:
                    raise Refused(413, f"a request holds at most {MOST_BYTES} bytes")
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise Refused(408, "the request took too long to arrive") from None


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives the body that was read already, then whatever comes."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _answer(send: Send, status: int, fields: dict[str, Any], headers: dict[str, str] | None = None) -> None:
    body = orjson.dumps(fields)
    found = {"content-type": "application/json", "content-length": str(len(body)), "cache-control": "no-store"}
    raw = [(name.encode(), value.encode()) for name, value in (found | (headers or {})).items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
