"""The same questions have the same answers in the same order, whichever door they come through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest

from aicx.cli import run
from aicx.engine.search import Searcher, SearchQuery
from tests.corpus.builders import Home
from tests.engine.search_helpers import copied, embed
from tests.parts import require
from tests.sampling import sample
from tests.servers.dashboard.http_client import get, serving
from tests.servers.mcp.mcp_client import NOW

pytestmark = pytest.mark.slow

WORDS = ("lexer", "token", "loop", "honey", "chapter", "report", "beehive7", "wasp", "decided", "instructions", "why")
QUESTIONS = sample([" ".join(pair) for pair in combinations(WORDS, 2)], 16)


@pytest.fixture(scope="module", params=["words", "words and meaning"])
def corpus(request: pytest.FixtureRequest, stored: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A corpus with an index of its words, and the same with a vector index beside it."""
    if request.param == "words":
        return stored
    user = copied(stored, tmp_path_factory.mktemp("meaning"))
    embed(user)
    return user


@pytest.fixture
def environment(corpus: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The corpus, for commands and processes that a test starts."""
    corpus.used(monkeypatch)


@pytest.fixture(scope="module")
def expected(corpus: Home) -> list[list[str]]:
    """The order that Python gives."""
    with Searcher(corpus.settings) as searcher:
        return [[hit.sidecar.id for hit in searcher.search(SearchQuery(question, NOW)).hits] for question in QUESTIONS]


@pytest.fixture(scope="module")
def dashboard(corpus: Home) -> Iterator[str]:
    """Where a dashboard of the corpus answers."""
    require("web")
    with serving(**corpus.environ) as (_, address):
        yield address


def ids(fields: dict[str, Any]) -> list[str]:
    return [item["id"] for item in fields["items"]]


def test_the_questions_have_answers_in_an_order(expected: list[list[str]]) -> None:
    assert sum(len(found) > 1 for found in expected) > len(expected) // 3 > 4


def test_meaning_counts_where_there_is_an_index_of_it(corpus: Home) -> None:
    with Searcher(corpus.settings) as searcher:
        rankers = searcher.search(SearchQuery("honey report", NOW)).oracle_status["rankers"]
    there = (corpus.corpus / "index" / "vectors.lance").exists()
    assert rankers == (["dense", "lexical"] if there else ["lexical"])


@pytest.mark.usefixtures("environment")
def test_on_the_command_line(expected: list[list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    for question in QUESTIONS:
        assert run(["search", question, "--everywhere", "--json"]) == 0
    assert [ids(json.loads(line)) for line in capsys.readouterr().out.splitlines()] == expected


@pytest.mark.needs("mcp")
@pytest.mark.usefixtures("environment")
def test_on_stdio(expected: list[list[str]]) -> None:
    from tests.servers.mcp.test_stdio import HELLO, READY, piped, search

    answers, _ = piped(
        HELLO, READY, *(search(number, query=text, structured=True) for number, text in enumerate(QUESTIONS, 1))
    )
    assert [ids(answer["result"]["structuredContent"]) for answer in answers[1:]] == expected


@pytest.mark.needs("mcp")
def test_on_http(corpus: Home, expected: list[list[str]]) -> None:
    from tests.servers.mcp.mcp_client import serving as serving_tools
    from tests.servers.mcp.test_http import client_of

    async def ask(client: Any) -> list[list[str]]:
        asked = ({"query": text, "structured": True} for text in QUESTIONS)
        return [ids((await client.call_tool("aicx_search", one)).structured_content) for one in asked]

    with serving_tools(**corpus.environ) as (_, address):
        assert client_of(address, ask) == expected


def test_on_the_dashboard(dashboard: str, expected: list[list[str]]) -> None:
    answers = [get(dashboard, "/api/search/semantic", q=text).fields for text in QUESTIONS]
    assert [ids(fields) for fields in answers] == expected


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("question", ["honey report", "lexer", "why wasp"])
def test_the_dashboard_says_what_the_command_line_says(
    dashboard: str, question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["search", question, "--everywhere", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    del said["schema"]
    assert get(dashboard, "/api/search/semantic", q=question).fields == {"ok": True, **said}
