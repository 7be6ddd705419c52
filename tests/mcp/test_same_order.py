"""The same questions have the same answers in the same order, whichever door they come through."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from aicx.cli import run
from aicx.engine.search import Searcher, SearchQuery
from tests.corpus.building import Home
from tests.mcp.asking import NOW, serving
from tests.mcp.test_http import client_of
from tests.mcp.test_stdio import HELLO, READY, piped, search

WORDS = ("lexer", "token", "loop", "honey", "chapter", "report", "beehive7", "wasp", "decided", "instructions", "why")
QUESTIONS = [" ".join(pair) for pair in combinations(WORDS, 2)][:50]


@pytest.fixture(scope="module")
def expected(stored: Home) -> list[list[str]]:
    """The order that Python gives."""
    with Searcher(stored.settings) as searcher:
        return [[hit.sidecar.id for hit in searcher.search(SearchQuery(question, NOW)).hits] for question in QUESTIONS]


def ids(fields: dict[str, Any]) -> list[str]:
    return [item["id"] for item in fields["items"]]


def test_the_questions_have_answers_in_an_order(expected: list[list[str]]) -> None:
    assert len(expected) == 50
    assert sum(len(found) > 1 for found in expected) > 20


def test_on_the_command_line(environment: Path, expected: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    for question in QUESTIONS:
        assert run(["search", question, "--json"]) == 0
    assert [ids(json.loads(line)) for line in capsys.readouterr().out.splitlines()] == expected


def test_on_stdio(environment: Path, expected: list[list[str]]) -> None:
    answers, _ = piped(HELLO, READY, *(search(number, query=text) for number, text in enumerate(QUESTIONS, 1)))
    assert [ids(answer["result"]["structuredContent"]) for answer in answers[1:]] == expected


def test_on_http(stored: Home, expected: list[list[str]]) -> None:
    async def ask(client: Any) -> list[list[str]]:
        return [ids((await client.call_tool("aicx_search", {"query": text})).structured_content) for text in QUESTIONS]

    with serving(**stored.environ) as (_, address):
        assert client_of(address, ask) == expected
