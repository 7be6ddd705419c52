"""The description of the endpoints (OpenAPI), true to what they do."""

from __future__ import annotations

from typing import Any

from fastapi.openapi.utils import get_openapi

from aicx.api.answers.failure import Failure
from aicx.api.described import reachable
from aicx.servers.dashboard.security import needs_token

# FastAPI's own answer to parameters that do not fit, which is not ours.
_NOT_OURS = ("HTTPValidationError", "ValidationError")


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
