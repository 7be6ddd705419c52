"""The checks before an HTTP server: host, origin, token, size and rate of requests."""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import AddressValueError, IPv6Address
from typing import Any

import orjson

from aicx.values import dataclass

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
MAX_BYTES = 1_000_000
_OTHER_SITES = "pages of other sites may not ask this server"
_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::([0-9]{0,5}))?", re.ASCII)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_HIGHEST_PORT = 65535


class RequestRefused(Exception):
    """A request that is answered with a status and one line, and goes no further."""

    def __init__(self, status: int, reason: str, *, hint: str | None = None, **headers: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.hint = hint
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPolicy:
    """Who is let in.

    ``hosts`` are the names under which the server may be called: a page of another site that has its own name point to
    this machine (DNS rebinding) is turned away, as is any page whose origin is not one of them. ``is_open`` says which
    requests are answered without a token and without counting; ``check`` raises Refused for a caller's request that
    leads nowhere.
    """

    token: str | None
    hosts: frozenset[str]
    rate: Rate
    is_open: Callable[[Scope], bool] = lambda _: False
    check: Callable[[Scope], None] = lambda _: None
    body_seconds: float = 10.0  # in which a request has to have come whole
    token_hint: str = "the server's own help says where it lies"  # noqa: S105 - says where, not what


class Guard:
    """An ASGI application around another, which sees only requests that passed; it gets their bodies whole."""

    def __init__(self, app: App, rules: AccessPolicy) -> None:
        self._app = app
        self._rules = rules
        self._token = rules.token.encode() if rules.token is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            headers = _headers(scope)
            self._check_place(scope, headers)
            if not self._rules.is_open(scope):
                self._check_caller(headers)
                self._rules.check(scope)
                self._check_rate()
            body = await _body(headers, receive, self._rules.body_seconds)
        except RequestRefused as refused:
            await refuse(send, refused)
            return
        await self._app(scope, _replaying(body, receive), send)

    def _check_place(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        host = headers.get(b"host", b"").decode("latin-1")
        if host_of(host) not in self._rules.hosts:
            raise RequestRefused(421, "this server is not called by that name", hint="--allow-host adds one")
        origin = headers.get(b"origin")
        if origin is not None and host_of_origin(origin.decode("latin-1")) not in self._rules.hosts:
            raise RequestRefused(403, _OTHER_SITES)
        # A page's images and the like are asked for without an origin; a link that somebody follows is no harm.
        follows = headers.get(b"sec-fetch-mode") == b"navigate" and (scope["method"], scope["path"]) == ("GET", "/")
        if headers.get(b"sec-fetch-site") in (b"cross-site", b"same-site") and not follows:
            raise RequestRefused(403, _OTHER_SITES)

    def _check_caller(self, headers: dict[bytes, bytes]) -> None:
        if self._token is None:
            return
        scheme, _, shown = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer" or not hmac.compare_digest(shown.strip(), self._token):
            hint = self._rules.token_hint
            raise RequestRefused(401, "a bearer token is needed", hint=hint, **{"www-authenticate": "Bearer"})

    def _check_rate(self) -> None:
        if wait := self._rules.rate.take():
            raise RequestRefused(429, "too many requests", **{"retry-after": str(int(wait) + 1)})


async def answer(send: Send, status: int, fields: dict[str, Any], headers: dict[str, str] | None = None) -> None:
    """Sends a whole answer: one JSON object on one line."""
    body = orjson.dumps(fields)
    found = {"content-type": "application/json", "content-length": str(len(body)), "cache-control": "no-store"}
    raw = [(name.encode(), value.encode()) for name, value in (found | (headers or {})).items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, refused: RequestRefused) -> None:
    """Sends what every refusal looks like, and ends the connection: else the rest of the request would be read."""
    fields = {"ok": False, "error": refused.reason, "hint": refused.hint}
    await answer(send, refused.status, fields, refused.headers | {"connection": "close"})


def _headers(scope: Scope) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in (b"host", b"authorization", b"origin") and name in found:
            raise RequestRefused(400, f"more than one {name.decode()} header")
        found[name] = value
    return found


async def _body(headers: dict[bytes, bytes], receive: Receive, seconds: float) -> bytes:
    """The whole body. Raises Refused when it is too large, or too slow in coming."""
    declared = headers.get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > MAX_BYTES:
        raise RequestRefused(413, f"a request holds at most {MAX_BYTES} bytes")
    parts = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise RequestRefused(400, "the request broke off")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > MAX_BYTES:
                    raise RequestRefused(413, f"a request holds at most {MAX_BYTES} bytes")
                if not message.get("more_body", False):
                    return b"".join(parts)
    except TimeoutError:
        raise RequestRefused(408, "the request took too long to arrive") from None


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


def host_of(authority: str) -> str | None:
    """The name in ``name:port``, in small letters, an IPv6 address in brackets and in its shortest form.

    None for anything else, such as a name after userinfo. A trailing dot is part of the name.
    """
    found = _AUTHORITY.fullmatch(authority)
    if found is None or int(found[3] or 0) > _HIGHEST_PORT:
        return None
    if found[2]:
        return found[2].lower()
    try:
        return f"[{IPv6Address(found[1]).compressed}]"
    except AddressValueError:
        return None


def host_of_origin(origin: str) -> str | None:
    """The name in an origin of a web page; None for ``null``, for another scheme, and for more than an origin."""
    scheme = _SCHEME.match(origin)
    return host_of(origin[scheme.end() :]) if scheme else None
