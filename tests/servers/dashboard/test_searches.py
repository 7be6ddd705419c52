"""Searching for the page: by words with scores, project by project, and by what is known of chunks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.catalog.query import steer
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.search import Searcher, SearchQuery
from aicx.engine.search_answer import search_answer
from aicx.engine.steer_answer import steer_answer
from aicx.errors import NotFound
from aicx.fields import to_fields
from aicx.filters import Filters
from aicx.servers.dashboard.searches import cross, fuzzy, semantic, steered
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.servers.mcp.mcp_client import NOW


@pytest.fixture
def searcher(stored: Home) -> Iterator[Searcher]:
    with Searcher(stored.settings) as searcher:
        yield searcher


def words(
    searcher: Searcher, user: Home, text: str, limit: int = 20, score: int = 0, frame: str | None = None
) -> dict[str, Any]:
    return to_fields(fuzzy(searcher, user.settings.layout, SearchQuery(text, NOW), limit, score, frame))


def test_semantic_is_what_the_engine_answers(stored: Home, searcher: Searcher) -> None:
    query = SearchQuery("lexer token", NOW)
    assert (
        to_fields(semantic(searcher, stored.settings, query))["items"]
        == to_fields(search_answer(searcher.search(query)))["items"]
    )


def test_words_have_a_score_a_label_and_a_place(searcher: Searcher, stored: Home) -> None:
    [found] = [one for one in words(searcher, stored, "lexer token")["results"] if one["project"] == "ada/orbit"]
    assert found["file"] == Path(found["path"]).name
    assert Path(found["path"]).is_file()
    assert 50 <= found["score"] <= 100
    assert found["label"] == ("HIGH" if found["score"] >= 80 else "MEDIUM" if found["score"] >= 60 else "LOW")
    assert found["excerpt"] == "\n".join(found["matched_lines"])
    assert "token" in found["excerpt"]


def test_half_of_a_question_found_is_half_its_points(searcher: Searcher, stored: Home) -> None:
    [whole, *_] = words(searcher, stored, "lexer token")["results"]
    [half, *_] = words(searcher, stored, "lexer zymurgy")["results"]
    assert whole["id"] == half["id"]
    assert whole["score"] - half["score"] == 25


@pytest.mark.parametrize(
    ("question", "frame"),
    [("drops the last token", "user_msg"), ("ends one character early", "agent_reply"), ("no such line", "tool_call")],
)
def test_a_match_says_what_kind_of_message_it_is_in(
    searcher: Searcher, stored: Home, question: str, frame: str
) -> None:
    [first, *_] = words(searcher, stored, f'"{question}"')["results"]
    assert (first["project"], first["frame_kind"]) == ("ada/orbit", frame)


def test_only_one_kind_of_message_can_be_asked_for(searcher: Searcher, stored: Home) -> None:
    found = words(searcher, stored, "honey report chapter", frame="user_msg")["results"]
    assert found
    assert {one["frame_kind"] for one in found} == {"user_msg"}
    assert words(searcher, stored, "honey report chapter", frame="internal_thought")["results"] == []


def test_a_least_score_leaves_out_what_has_less(searcher: Searcher, stored: Home) -> None:
    scores = [one["score"] for one in words(searcher, stored, "honey zymurgy report")["results"]]
    assert scores
    least = max(scores) + 1
    assert words(searcher, stored, "honey zymurgy report", score=least)["results"] == []
    kept = words(searcher, stored, "honey zymurgy report", score=max(scores))["results"]
    assert len(kept) == scores.count(max(scores))


def test_at_most_so_many_are_given(searcher: Searcher, stored: Home) -> None:
    assert len(words(searcher, stored, "honey", limit=2)["results"]) == 2
    assert len(words(searcher, stored, "honey", limit=2, score=1)["results"]) == 2


def test_words_are_looked_for_without_an_index(stored: Home, tmp_path: Path) -> None:
    user = Home(tmp_path)
    shutil.copytree(stored.corpus, user.corpus)
    shutil.rmtree(user.corpus / "index")
    with Searcher(user.settings) as searcher:
        found = words(searcher, user, "lexer")
    assert found["results"][0]["project"] == "ada/orbit"
    assert "every chunk was read instead" in found["oracle_status"]["fallback_reason"]
    assert found["total_scanned"] > 3


def test_nothing_stored_is_not_found(tmp_path: Path) -> None:
    user = Home(tmp_path)
    with Searcher(user.settings) as searcher, pytest.raises(NotFound, match="nothing is stored"):
        words(searcher, user, "lexer")


def test_each_project_answers_for_itself(searcher: Searcher) -> None:
    found = to_fields(cross(searcher, SearchQuery("report lexer wasp honey", NOW), 10, 2))
    assert {one["project"] for one in found["projects"]} == {"ada/orbit", "ada/apiary"}
    for one in found["projects"]:
        assert {item["project"] for item in one["items"]} == {one["project"]}
        assert len(one["items"]) <= 2 <= max(2, one["found"])
        assert one["best"] == one["items"][0]["score"]
    bests = [one["best"] for one in found["projects"]]
    assert bests == sorted(bests, reverse=True)


def test_at_most_so_many_projects_answer(searcher: Searcher) -> None:
    assert len(cross(searcher, SearchQuery("report lexer wasp honey", NOW), 1, 1).projects) == 1


def test_answers_beyond_those_looked_at_are_said(searcher: Searcher) -> None:
    assert "the best 2 of" in cross(searcher, SearchQuery("honey", NOW), 10, 3, pool=2).notes[-1]


def test_chunks_are_listed_by_what_is_known_of_them(stored: Home) -> None:
    found = to_fields(steered(steer_answer(steer(stored.settings.layout, Filters(agent="claude"), 10))))
    assert {item["session_id"] for item in found["items"]} == {SESSION, OTHER}
    assert found["matched"] == 2
    assert found["scanned"] > 4


def test_thoughts_are_a_kind_of_their_own(tmp_path: Path) -> None:
    user = Home(tmp_path)
    log = ClaudeLog(THIRD).prompt("Think", 0)
    log.add(
        "assistant",
        1,
        message={"id": "m", "model": "opus", "content": [{"type": "thinking", "thinking": "A quokka, perhaps"}]},
    )
    user.claude(log.answer("I thought.", 2))
    user.store()
    refresh_lexical(user.settings, lambda _: None)
    with Searcher(user.settings) as searcher:
        [found] = words(searcher, user, "quokka")["results"]
    assert found["frame_kind"] == "internal_thought"
