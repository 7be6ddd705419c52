"""The application behind the page: the endpoints, the page's own files, the guard in front and security headers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import unquote_to_bytes

from fastapi import FastAPI, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException

import aicx
from aicx.config import Settings
from aicx.errors import StoreUnwritable
from aicx.failure import Failure
from aicx.pages import load_files
from aicx.servers.dashboard import responses as shapes
from aicx.servers.dashboard.endpoints import ENDPOINTS
from aicx.servers.dashboard.handlers import Handlers, health
from aicx.servers.described import reachable
from aicx.servers.http.guard import AccessPolicy, App, Guard, Message, Rate, Receive, RequestRefused, Scope, Send
from aicx.storage import create_private

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


# Whatever is asked may be refused before it gets anywhere, or find everybody busy.
_GUARDED = (401, 403, 408, 413, 421, 429, 503)
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
# FastAPI's own answer to parameters that do not fit, which is not ours.
_NOT_OURS = ("HTTPValidationError", "ValidationError")


def create_app(
    settings: Settings,
    clock: Callable[[], datetime],
    *,
    token: str | None,
    hosts: frozenset[str],
    per_second: float = 100,
) -> App:
    """The dashboard as an ASGI application behind its guard, for any server to run.

    ``token`` None asks for none; ``hosts`` are the names it may be called by.
    """
    return secured(bare_app(settings, clock), token=token, hosts=hosts, per_second=per_second)


def bare_app(settings: Settings, clock: Callable[[], datetime]) -> Any:
    """The application without its guard."""
    handlers = Handlers(settings, clock)

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncIterator[None]:
        handlers.open()
        yield
        await handlers.close()

    app = FastAPI(
        title="aicx dashboard",
        version=aicx.__version__,
        summary="The corpus of coding agents' sessions on this machine. Only what is sent with POST writes.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        # What is asked is nobody else's business: nothing is sent, wherever the environment would have it sent.
        telemetry=dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False),
        exception_handlers={RequestValidationError: handlers.invalid, HTTPException: handlers.refused},
    )
    for endpoint in ENDPOINTS:
        app.add_api_route(
            endpoint.path,
            handlers.handler(endpoint),
            summary=endpoint.summary,
            name=endpoint.path.removeprefix("/api/").replace("/", "_"),
            response_model=shapes.succeeded(endpoint.shape),
            responses=_failures(*endpoint.failures, *_GUARDED),
        )
    for path in ("/health", "/api/health"):
        name = path[1:].replace("/", "_")
        app.add_api_route(
            path,
            health,
            name=name,
            summary="Whether somebody is there.",
            response_model=shapes.succeeded(shapes.Health),
            responses=_failures(403, 421),
        )
    app.add_api_route(
        "/api/regenerate",
        handlers.regenerate,
        methods=["POST"],
        summary="Bring the corpus up to date.",
        status_code=202,
        response_model=shapes.succeeded(shapes.Started),
        responses=_failures(400, 409, 500, *_GUARDED),
    )
    app.add_api_route(
        "/api/memory/decide",
        handlers.decide,
        methods=["POST"],
        summary="Decide about a record.",
        name="memory_decide",
        response_model=shapes.succeeded(shapes.Decided),
        responses=_failures(400, 404, 409, 500, *_GUARDED),
    )
    _serve_page(app)
    app.openapi = lambda: describe(app)
    return app


def _serve_page(app: Any) -> None:
    page = load_page()

    async def asset(name: str) -> Response:
        if name not in page:
            raise HTTPException(404)
        body, kind = page[name]
        return Response(body, media_type=kind)

    async def index() -> Response:
        return await asset("index.html")

    seen: dict[str, Any] = {"methods": ["GET", "HEAD"], "include_in_schema": False}
    app.add_api_route("/", index, **seen)
    app.add_api_route("/assets/{name}", asset, **seen)


def _failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The first has the model and the others refer to it: FastAPI would make it anew for each, most of a start."""
    reference = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}}
    return {
        status: reference if number else {"model": shapes.Failure}
        for number, status in enumerate(sorted(set(statuses)))
    }


def load_page() -> dict[str, tuple[bytes, str]]:
    """Every file of the page by its name, with its media type."""
    return {
        name: (body, found)
        for name, body in load_files("dashboard").items()
        if (found := _TYPES.get(f".{name.rpartition('.')[2]}"))
    }


def describe(app: Any) -> dict[str, Any]:
    """The description of an application; made once, since it does not change."""
    if app.openapi_schema is None:
        app.openapi_schema = _made(app)
    found: dict[str, Any] = app.openapi_schema
    return found


def _made(app: Any) -> dict[str, Any]:
    made: dict[str, Any] = get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
    for path, operations in made["paths"].items():
        for operation in operations.values():
            operation["responses"].pop("422", None)
            for parameter in operation.get("parameters", ()):
                parameter["schema"] = _plain(parameter["schema"])
            if needs_token(path):
                operation["security"] = [{"token": []}]
    components = made["components"]
    components["schemas"] = {name: one for name, one in components["schemas"].items() if name not in _NOT_OURS}
    answers = [route.response_model for route in app.routes if route.include_in_schema]
    for kind, fields in reachable(Failure, *answers).items():
        properties = components["schemas"][kind.__name__]["properties"]
        for one in fields:
            properties[one.name] |= {"description": one.meaning} if one.meaning else {}
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    return made


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema without "or null": what is not set is left out, for a query has no null."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
    said = {name: value for name, value in schema.items() if name not in ("anyOf", "title", "description")}
    return choices[0] | said if len(choices) == 1 else schema


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>aicx dashboard</title>
<p><a href="{address}">Open the dashboard</a></p>
</html>
"""


@contextmanager
def redirect_page(address: str) -> Iterator[str]:
    """The address of a file that leads on to ``address``. Nobody else can read it, and it goes with the block."""
    try:
        folder = TemporaryDirectory(prefix="aicx-", ignore_cleanup_errors=True)  # made with mode 0700
    except OSError as error:
        raise _unwritable(error) from error
    with folder:
        path = Path(folder.name, "dashboard.html")
        try:
            with create_private(path) as stream:
                stream.write(_PAGE.format(address=escape(address)).encode())
        except OSError as error:
            raise _unwritable(error) from error
        yield path.as_uri()


def _unwritable(error: OSError) -> StoreUnwritable:
    return StoreUnwritable(
        f"no file for the browser can be written: {error.strerror or error}",
        hint="--no-open, then open the address yourself",
    )
