"""The functions FastAPI calls: they pass each request to a worker thread and turn failures into responses."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

import orjson
from fastapi import Header, Query, Request, Response

import aicx
from aicx.config import Settings
from aicx.engine.search import Searcher
from aicx.errors import AicxError, MissingExtra, NotFound, RecordChanged, StoreLocked, UnsafePath, UsageError
from aicx.fields import to_fields
from aicx.servers.dashboard import requests as asked
from aicx.servers.dashboard import responses as shapes
from aicx.servers.dashboard.endpoints import Endpoint, EndpointContext
from aicx.servers.dashboard.memory import decide_on_page
from aicx.servers.dashboard.regenerate import Rebuilding
from aicx.servers.dashboard.status import StatusReader
from aicx.servers.http.processes import Busy, Workers
from aicx.servers.http.token import private

_log = logging.getLogger("aicx.servers.dashboard")

# Each thread that searches keeps indexes of its own open, which take memory; those that look things up keep nothing,
# and go on while a slow question is being answered.
_SEARCHING, _LOOKING = 2, 2
_STATUSES: tuple[tuple[type[AicxError], int], ...] = (
    (UnsafePath, 403),
    (UsageError, 400),
    (NotFound, 404),
    (MissingExtra, 404),
    (StoreLocked, 409),
    (RecordChanged, 409),
)
_MAX_COMPLAINTS = 5


class Handlers:
    """The endpoints that answer, and what all answers share."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._settings = settings
        self._clock = clock
        self._status = StatusReader(settings)
        self._rebuilding = Rebuilding(settings, self._status.stored_anew)

    def open(self) -> None:
        """Makes ready to answer; after `close` again, too."""
        self._searching = Workers(self._settings, _SEARCHING)
        self._looking = Workers(self._settings, _LOOKING)

    def handler(self, endpoint: Endpoint) -> Callable[..., Any]:
        """The function that FastAPI calls for an endpoint; from its annotations come checks and description."""

        async def handle(asked: Any) -> Response:
            def work(searcher: Searcher) -> bytes:
                means = EndpointContext(self._settings, searcher, self._clock(), self._status, self._rebuilding)
                return _succeeded(endpoint.answer(means, asked))

            workers = self._searching if endpoint.searches else self._looking
            return await self._attempt(endpoint.path, lambda: workers.run(work), 200)

        handle.__annotations__["asked"] = Annotated[endpoint.asked, Query()]
        return handle

    async def regenerate(
        self,
        x_aicx_action: Annotated[
            Literal["regenerate"],
            Header(description="Says that it is meant: no page of another site can send it unasked."),
        ],
    ) -> Response:
        """As `aicx store` does, in a process of its own. /api/status says when it is done."""

        async def start() -> bytes:
            await self._rebuilding.start()
            return _succeeded(shapes.Started(rebuilding=True))

        return await self._attempt("/api/regenerate", start, 202)

    async def decide(
        self,
        decision: asked.DecisionRequest,
        x_aicx_action: Annotated[
            Literal["decide"], Header(description="Says that it is meant: no page of another site can send it unasked.")
        ],
    ) -> Response:
        """Records a person's decision about a record, with their name, as an event.

        Refused where it changed meanwhile.
        """

        def work(_: Searcher) -> bytes:
            return _succeeded(decide_on_page(self._settings, decision, self._clock()))

        return await self._attempt("/api/memory/decide", lambda: self._looking.run(work), 200)

    async def close(self) -> None:
        await self._rebuilding.stop()
        self._searching.close()
        self._looking.close()

    async def invalid(self, _: Request, error: Any) -> Response:
        """The answer to parameters that do not fit; it holds none of their values."""
        complaints = "; ".join(_complaint(found) for found in error.errors()[:_MAX_COMPLAINTS])
        return self._failure(400, complaints, "/openapi.json describes every parameter")

    async def refused(self, _: Request, error: Any) -> Response:
        """The answer to what leads nowhere: a path that is none, a method that is not answered."""
        words = {404: "there is nothing here", 405: "this is not answered here"}
        return self._failure(error.status_code, words.get(error.status_code, str(error.detail)), None, error.headers)

    async def _attempt(self, name: str, work: Callable[[], Any], status: int) -> Response:
        """Answers with the result of ``work``, or with why there is none."""
        try:
            return Response(await work(), status, media_type="application/json")
        except AicxError as error:
            code = next((code for kind, code in _STATUSES if isinstance(error, kind)), 500)
            return self._failure(code, error.message, error.hint)
        except Busy:
            return self._failure(503, "too many questions at once", "ask again in a moment", {"retry-after": "1"})
        except Exception as error:  # noqa: BLE001 - the last boundary: a bug becomes a line, not a page
            _log.exception("%s failed", name)
            return self._failure(500, f"internal error: {type(error).__name__}", "this is a bug in aicx")

    def _failure(self, status: int, error: str, hint: str | None, headers: dict[str, str] | None = None) -> Response:
        said = private(self._settings, hint) if hint else None
        failure = shapes.Failure(error=private(self._settings, error), hint=said)
        return Response(_encoded(to_fields(failure)), status, headers, media_type="application/json")


async def health() -> Response:
    """Needs no token and gives nothing away."""
    found = shapes.Health(name="aicx", version=aicx.__version__)
    return Response(_succeeded(found), media_type="application/json")


def _complaint(found: dict[str, Any]) -> str:
    where, *names = found["loc"]
    name = str(names[0] if names else where)
    if found["type"] == "extra_forbidden":
        return f"unknown parameter {name[:60]!r}"
    return f"{name[:60]}: {found['msg']}"


def _succeeded(answer: Any) -> bytes:
    return _encoded({"ok": True, **to_fields(answer)})


def _encoded(fields: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(fields, default=str)
    except TypeError:
        # A file name that is not UTF-8 reaches Python as lone surrogates; the standard library escapes them.
        return json.dumps(fields, default=str).encode()
