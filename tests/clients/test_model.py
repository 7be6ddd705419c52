"""The model that the tests of real clients script: it waits for tools that are not offered yet."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.clients.real.model import Call, ScriptedModel

pytestmark = pytest.mark.slow

SEARCH, WAIT = Call("aicx_search", {"query": "lexer"}), Call("Bash", {"command": "sleep 1"})


def answered(model: ScriptedModel, *offered: str) -> str:
    """The tool that the model calls, or the text it ends with."""
    body = json.dumps({"tools": [{"name": name} for name in offered]}).encode()
    with urlopen(Request(f"{model.url}/v1/messages", body)) as reply:
        [block] = json.loads(reply.read())["content"]
    found: dict[str, Any] = block
    return str(found.get("name", found.get("text")))


def test_a_tool_is_called_once_it_is_offered() -> None:
    with ScriptedModel([SEARCH], WAIT) as model:
        assert answered(model, "Bash") == "Bash"
        assert answered(model, "Bash", "aicx_search") == "aicx_search"
        assert answered(model, "Bash", "aicx_search") == "Done."
    assert model.made == [WAIT, SEARCH]


def test_a_tool_that_is_never_offered_is_called_after_the_waits() -> None:
    with ScriptedModel([SEARCH], WAIT, most_waits=2) as model:
        assert [answered(model, "Bash") for _ in range(4)] == ["Bash", "Bash", "aicx_search", "Done."]
    assert model.made == [WAIT, WAIT, SEARCH]
