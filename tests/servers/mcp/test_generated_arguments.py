"""Arguments that nobody thought of: each call is answered or refused, and none leaves the store or shows a bug."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aicx.servers.mcp.arguments import parameters, schema
from aicx.servers.mcp.server import TOOLS
from tests.corpus.builders import SESSION, THIRD, Home
from tests.servers.mcp.mcp_client import ask

pytestmark = [pytest.mark.needs("mcp"), pytest.mark.slow]

# What people and attackers write where a name is wanted.
TELLING = [
    *("../../etc/passwd", "/etc/passwd", "~root/.ssh", "store/../../x.md", "store/", "file:", "commit:0000000"),
    *(SESSION, THIRD[:4], f"claude:{SESSION}:001", f"codex:{THIRD}:999", "chunk:x", "session:claude", "x" * 999),
    *("2026-02-30", "9999-12-31", "0001-01-01", "..", "1w", "99999999d", "\x00", "\n", '"', "*", "[", "'; DROP TABLE"),
]
STRINGS = st.sampled_from(TELLING) | st.text(max_size=30)


def of(field: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that the schema allows, and with them some that it does not."""
    match field["type"]:
        case "string":
            return st.sampled_from(field["enum"]) if "enum" in field else STRINGS
        case "integer":
            return st.integers(field["minimum"], field["maximum"]) | st.just(field["maximum"] + 1)
        case "number":
            return st.floats(field["minimum"], field["maximum"])
        case "array":
            return st.lists(of(field["items"]), max_size=3) | of(field["items"])
        case _:
            return st.booleans()


def arguments(name: str) -> st.SearchStrategy[dict[str, Any]]:
    required = set(schema(TOOLS[name].arguments).get("required", ()))
    fields = {key: of(field) for key, field in parameters(TOOLS[name].arguments).items()}
    return st.fixed_dictionaries(
        {key: fields[key] for key in required}, optional={key: fields[key] for key in fields if key not in required}
    )


@pytest.mark.parametrize("name", TOOLS)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_call_is_answered_or_refused(stored: Home, name: str, data: Any) -> None:
    from mcp.shared.exceptions import MCPError

    drawn = data.draw(st.lists(arguments(name), min_size=4, max_size=8))
    root = str(stored.corpus)

    async def said_to(client: Any, one: dict[str, Any]) -> str:
        try:
            result = await client.call_tool(name, {**one, "structured": True})
        except MCPError as refusal:
            return f"{refusal.error.code} {refusal.error.message}"
        items = result.structured_content.get("items", ())
        assert all(item.get("path", root).startswith(root) for item in items)
        return json.dumps(result.structured_content) + result.content[0].text

    async def work(client: Any) -> None:
        for one in drawn:
            said = await said_to(client, one)
            assert not said.startswith("-32603"), (one, said)
            assert "Traceback" not in said, one
            assert "root:x:0" not in said, one

    ask(stored.settings, work)
