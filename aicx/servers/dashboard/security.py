"""The security headers of every response, and the paths that need no token."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes

from aicx.servers.http.guard import AccessPolicy, App, Guard, Message, Rate, Receive, RequestRefused, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
# The page may be kept and asked about again; answers hold what was said and are not kept anywhere.
_CACHED = ("/", "/assets/")
_OPEN = frozenset({"/", "/health", "/api/health", "/openapi.json"})


def secured(app: App, *, token: str | None, hosts: frozenset[str], per_second: float) -> App:
    """``app`` behind its guard, with the headers on everything that leaves, refusals included."""
    rules = AccessPolicy(
        token=token,
        hosts=hosts,
        rate=Rate(per_second, 2 * per_second),
        is_open=lambda scope: not needs_token(scope["path"]),
        check=_check_query,
        token_hint="open the address that `aicx serve page` prints",  # noqa: S106 - says where, not what
    )
    return _with_headers(Guard(app, rules))


def needs_token(path: str) -> bool:
    """Whether a path gives anything of the corpus away."""
    return path not in _OPEN and not path.startswith("/assets/")


def _check_query(scope: Scope) -> None:
    """Refuses what would be read in two ways: text that is no UTF-8, and a parameter that stands there twice."""
    names = set()
    for part in filter(None, scope["query_string"].split(b"&")):
        try:
            name, _ = (unquote_to_bytes(half.replace(b"+", b" ")).decode() for half in (part + b"=").split(b"=", 1))
        except UnicodeDecodeError:
            raise RequestRefused(400, "the query holds bytes that are not UTF-8") from None
        if name in names:
            raise RequestRefused(400, f"more than one parameter {name[:60]!r}")
        names.add(name)


def _with_headers(app: App) -> App:
    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                path = scope["path"]
                keeps = path in _CACHED or path.startswith("/assets/")
                own = _HEADERS | {"cache-control": "no-cache" if keeps else "no-store"}
                raw = [(name, value) for name, value in message["headers"] if name.decode("latin-1").lower() not in own]
                raw += [(name.encode(), value.encode()) for name, value in own.items()]
                message = {**message, "headers": raw}
            await send(message)

        await app(scope, receive, dressed)

    return guarded
