"""The application behind the page: the endpoints, the page's own files, and the guard in front of both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from fastapi import FastAPI, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

import aicx
from aicx.config import Settings
from aicx.servers.dashboard import responses as shapes
from aicx.servers.dashboard.assets import load_page
from aicx.servers.dashboard.description import describe
from aicx.servers.dashboard.endpoints import ENDPOINTS
from aicx.servers.dashboard.handlers import Handlers, health
from aicx.servers.dashboard.security import secured
from aicx.servers.http.guard import App

# Whatever is asked may be refused before it gets anywhere, or find everybody busy.
_GUARDED = (401, 403, 408, 413, 421, 429, 503)


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
        exception_handlers={
            RequestValidationError: handlers.invalid,
            HTTPException: handlers.refused,
        },
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
        return Response(page[name].body, media_type=page[name].type)

    async def index() -> Response:
        return await asset("index.html")

    seen: dict[str, Any] = {"methods": ["GET", "HEAD"], "include_in_schema": False}
    app.add_api_route("/", index, **seen)
    app.add_api_route("/assets/{name}", asset, **seen)


def _failures(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": shapes.Failure} for status in sorted(set(statuses))}
