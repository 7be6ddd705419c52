"""Characters that people do not see, and that models do, are in no reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.corpus.builders import SESSION, Home
from tests.servers.mcp.mcp_client import call, refused
from tests.servers.mcp.planting import FORBIDDEN, HIDDEN, planted_home

pytestmark = pytest.mark.needs("mcp")

CALLS: dict[str, dict[str, Any]] = {
    "aicx_search": {"query": "lexer"},
    "aicx_steer": {},
    "aicx_rank": {"project": "orbit", "hours": 0},
    "aicx_resume": {"project": "ada/orbit", "task": f"mend the lexer{HIDDEN}"},
    "aicx_read": {"ref": f"claude:{SESSION}:001"},
    "aicx_memory": {"query": f"lexer{HIDDEN}", "repo": "/"},
    "aicx_index_status": {},
}
# What is given is quoted in the error. Of what is not seen, only letters that fill a place get as far as that.
ERROR: dict[str, Any] = {"ref": "9999\u3164"}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return planted_home(tmp_path_factory.mktemp("planted"))


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from texts([*value, *value.values()])
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def test_the_corpus_holds_what_is_planted(planted: Home) -> None:
    assert FORBIDDEN & set(planted.markdown())
    assert FORBIDDEN & set(json.dumps(planted.sidecars(), ensure_ascii=False))


@pytest.mark.parametrize(("name", "arguments"), [*CALLS.items(), ("aicx_read", ERROR)])
def test_no_reply_holds_any(planted: Home, name: str, arguments: dict[str, Any]) -> None:
    result = call(planted.settings, name, structured=True, **arguments)
    [content] = result.content
    assert FORBIDDEN & set("".join(texts([content.text, result.structured_content]))) == set()
    assert len(content.text) > 20


@pytest.mark.parametrize(
    "arguments", [{"session": HIDDEN, "date": f"someday{HIDDEN}"}, {"kind": f"poems{HIDDEN}"}, {f"no{HIDDEN}": 1}]
)
def test_a_refusal_holds_none(planted: Home, arguments: dict[str, Any]) -> None:
    _, message = refused(planted.settings, "aicx_steer", **arguments)
    assert FORBIDDEN & set(message) == set()
