"""Search as a list of stages: each takes one state, gives another, and leaves the one it was given as it was."""

from __future__ import annotations

from copy import copy
from dataclasses import fields
from typing import Any

import pytest

from aicx.engine.kept_catalog import KeptCatalog
from aicx.engine.retrievers import Retrievers
from aicx.engine.search import ANSWER, LIST, READ, SearchQuery, search
from aicx.engine.stages import SearchState
from retrieval.questions import parse_question
from tests.corpus.builders import ClaudeLog, Home
from tests.engine.search_helpers import NOW, keep

FIRST, SECOND = "0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d41", "0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d42"


@pytest.fixture
def user(tmp_path: Any) -> Home:
    user = Home(tmp_path)
    folder = user.repository("orbit", "git@x.org:ada/orbit.git")
    user.claude(ClaudeLog(FIRST, folder).prompt("The gasket could not compile", 0).answer("It leaks.", 1))
    user.claude(ClaudeLog(SECOND, folder).prompt("A gasket would compile, could it not?", 60).answer("Yes.", 61))
    keep(user)
    return user


def begun(user: Home, query: SearchQuery) -> SearchState:
    layout = user.settings.layout
    catalog = KeptCatalog(layout)
    catalog.refresh()
    return SearchState(query, layout, catalog, Retrievers(user.settings), parse_question(""))


def contents(state: SearchState) -> dict[str, Any]:
    return {one.name: copy(getattr(state, one.name)) for one in fields(state) if one.name not in _OPEN}


# What stays open between questions.
_OPEN = ("catalog", "retrievers")


@pytest.mark.parametrize(
    ("text", "stages"), [('"could not compile" gasket', ANSWER), ("gaskest", ANSWER), ("march 2026", LIST)]
)
def test_a_stage_leaves_the_state_that_it_was_given_as_it_was(user: Home, text: str, stages: Any) -> None:
    state = begun(user, SearchQuery(text, NOW))
    for stage in (*READ, *stages):
        before = contents(state)
        after = stage(state)
        assert contents(state) == before, stage.__name__
        state = after
    state.catalog.close()


def test_the_stages_one_after_another_give_what_search_gives(user: Home) -> None:
    query = SearchQuery('"could not compile" gasket', NOW)
    state = begun(user, query)
    for stage in (*READ, *ANSWER):
        state = stage(state)
    state.catalog.close()
    report = search(user.settings, query)
    assert [hit.sidecar.session_id for hit in state.hits] == [FIRST]
    assert list(state.hits) == report.hits
    assert list(state.notes) == report.notes


def test_a_chunk_that_is_hidden_now_is_no_candidate(user: Home) -> None:
    user.settings.layout.ignore_file.write_text("*\n", "utf-8")
    state = begun(user, SearchQuery("gasket", NOW))
    for stage in (*READ, *ANSWER[:6]):
        state = stage(state)
    state.catalog.close()
    assert (state.rows, state.rankings) == ({}, {"lexical": []})
