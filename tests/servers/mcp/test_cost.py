"""What the tools cost an agent in every request, and that the right one is found.

Tokens are counted with the vocabulary of 30,522 word pieces that is in the package. It counts each brace, quote and
colon of JSON as a token of its own, so a model's tokenizer counts fewer.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rank_bm25 import BM25Okapi
from Stemmer import Stemmer

import indexer
from aicx.engine.lexical_index import refresh_lexical
from aicx.servers.mcp.server import PROPOSALS, TOOLS
from tests.corpus.builders import ClaudeLog, Home
from tests.servers.mcp.mcp_client import ask, call
from tests.servers.mcp.tasks import TASKS, Task

pytestmark = pytest.mark.needs("mcp", "semantic")

MAX_DEFINITIONS, MAX_ANSWERS = 2_500, 700
VOCABULARY = Path(indexer.__file__).parent / "data" / "minilm" / "vocab.txt"


def tokens(text: str) -> int:
    from tokenizers import BertWordPieceTokenizer

    return len(BertWordPieceTokenizer(str(VOCABULARY)).encode(text, add_special_tokens=False).ids)


def words(text: str) -> list[str]:
    found: list[str] = Stemmer("english").stemWords(re.findall("[a-z]+", text.lower()))
    return found


@pytest.fixture(scope="module")
def talkative(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Nine sessions with long titles, long lines and long paths, all about one thing, and each with a late reply."""
    home = Home(tmp_path_factory.mktemp("talkative"))
    orbit = home.repository("orbit", "git@x.org:ada-lovelace-and-friends/orbit-determination-service.git")
    for number in range(9):
        log = ClaudeLog(f"{number}b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e", orbit)
        path = f"src/orbit/determination/residuals_{number}/weighted_least_squares_{number}.py"
        log.prompt(f"The lexer in {path} drops the last token, and {'the parser waits for it; ' * 30}why?", 60 * number)
        for step in range(40):
            log.answer(f"I look at {path}:{step} for the token the lexer drops. " + "x1f3e9 " * 120, 60 * number + 1)
        log.answer(
            f"It ended one token early: the lexer in {path} waits no more; " + "it compares with <= now. " * 40,
            60 * number + 9,
        )
        home.claude(log)
    home.store()
    refresh_lexical(home.settings, lambda line: None)
    return home


def test_all_definitions_together_cost_little(stored: Home) -> None:
    listed = ask(stored.settings, lambda client: client.list_tools(), allow_proposals=True).tools
    assert {tool.name for tool in listed} == {*TOOLS, *PROPOSALS}
    shown = ("name", "description", "inputSchema")
    definitions = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
    cost = {one["name"]: tokens(json.dumps({name: one[name] for name in shown})) for one in definitions}
    assert sum(cost.values()) <= MAX_DEFINITIONS, cost


@pytest.mark.parametrize(
    "query", ["lexer drops the last token", "weighted least squares", "which file waits for the token"]
)
@pytest.mark.slow
def test_five_sessions_cost_little(talkative: Home, query: str) -> None:
    [content] = call(talkative.settings, "aicx_search", query=query).content
    refs = re.findall(r"quoted-history ref=(\w+):", content.text)
    assert len(refs) == len(set(refs)) == 5
    assert tokens(content.text) <= MAX_ANSWERS


def test_a_question_of_a_person_comes_with_what_the_agent_said_in_the_end(talkative: Home) -> None:
    [content] = call(talkative.settings, "aicx_search", query="why does the parser wait for the lexer").content
    assert content.text.count("In the end (") == 5
    assert "ended one token early" in content.text


def test_more_answers_may_cost_more(talkative: Home) -> None:
    [content] = call(talkative.settings, "aicx_search", query="lexer token", limit=9).content
    assert len(re.findall("quoted-history ref=", content.text)) == 9
    assert tokens(content.text) <= MAX_ANSWERS * 9 / 5


def test_every_reference_of_an_answer_is_taken(talkative: Home) -> None:
    [content] = call(talkative.settings, "aicx_search", query="lexer drops the last token").content
    refs = re.findall(r"(?:ref=|In the end \()([\w:-]+)", content.text)
    assert len(refs) >= 5
    for ref in refs:
        assert not call(talkative.settings, "aicx_read", ref=ref).is_error


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.words)
def test_the_right_tool_is_found_by_its_description(task: Task) -> None:
    ranked = BM25Okapi([words(f"{tool.title} {tool.description}") for tool in TOOLS.values()])
    scores: dict[str, Any] = dict(zip(TOOLS, ranked.get_scores(words(task.words)), strict=True))
    assert max(scores, key=scores.__getitem__) == task.tool


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.words)
def test_the_right_tool_does_the_task(stored: Home, task: Task) -> None:
    result = call(stored.settings, task.tool, **task.arguments)
    assert not result.is_error
    assert result.content[0].text.startswith("Evidence: ")
