"""A vector index on a real S3-compatible server, reached with nothing but an address and the usual environment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.engine.vector_index import drop_vectors
from aicx.engine.vector_state import vector_state
from aicx.errors import AicxError, NotFound
from aicx.filters import Filters
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home
from tests.engine.search_helpers import ask, copied, embed, found, ids, ignore, keep
from tests.parts import require
from tests.sampling import sample
from tests.share.stores import s3_server

pytestmark = [pytest.mark.process, pytest.mark.filterwarnings("ignore")]  # lancedb's and moto's own

URI = "s3://team/indexes/orbit"


@pytest.fixture(scope="module")
def environment() -> Iterator[pytest.MonkeyPatch]:
    """What docs/on-disk-format.md says to set, for a server with an empty bucket ``team``."""
    require("test")
    with s3_server() as store:
        yield store.environment


def at(user: Home, uri: str) -> Home:
    (user.corpus / "config.toml").write_text(f'index_uri = "{uri}"\n')
    keep(user)
    embed(user)
    return user


@pytest.fixture(scope="module")
def shared(environment: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = Home(tmp_path_factory.mktemp("shared"))
    user.claude(ClaudeLog(SESSION).prompt("reconnection backoff " * 20, 0))
    user.claude(ClaudeLog(OTHER).prompt("Bread and flour in the oven", 60))
    keep(user)
    return at(user, URI)


@pytest.fixture
def user(shared: Home, tmp_path: Path) -> Home:
    """A corpus and an index of its own, which may be changed."""
    return at(copied(shared, tmp_path), f"{URI}-{tmp_path.name}")


@pytest.fixture
def unreachable(shared: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("OBJECT_STORE_CLIENT_MAX_RETRIES", "0")
    return shared


def test_nothing_of_it_lies_in_the_home(shared):
    assert not (shared.corpus / "index" / "vectors.lance").exists()
    state = vector_state(shared.settings)
    assert (state.uri, state.table.rows, state.behind) == (URI, 4, 0)


def test_a_question_is_answered_by_meaning(shared):
    assert found(shared, "reconection backof")[0] == f"claude:{SESSION}:001"
    assert ask(shared, "flour").oracle_status["rankers"] == ["dense", "lexical"]


def test_filters_reach_it(shared):
    assert found(shared, "reconection backof", mode="dense", filters=Filters(agent="codex")) == []


def test_the_commands_reach_it(shared, home, monkeypatch, capsys):
    shared.used(monkeypatch)
    assert run(["index", "status"]) == 0
    assert f"address     {URI}" in capsys.readouterr().out
    assert run(["search", "reconection backof"]) == 0
    assert "ranked by dense + lexical" in capsys.readouterr().err


def test_a_second_run_embeds_only_what_is_new_and_it_can_be_rebuilt_and_dropped(user):
    user.claude(ClaudeLog("aaaa1111-0000-4000-8000-000000000001").prompt("thermodynamics equilibrium " * 20, 90))
    keep(user)
    done = embed(user)
    assert (done.added, done.unchanged) == (1, 2)
    assert found(user, "thermodinamic equilibrum")[0].startswith("claude:aaaa")
    assert embed(user, rebuild=True).added == 3
    drop_vectors(user.settings, ignore)
    with pytest.raises(NotFound):
        vector_state(user.settings)
    assert ask(user, "flour").oracle_status["rankers"] == ["lexical"]


def test_a_server_that_cannot_be_reached_is_named_and_words_answer(unreachable):
    report = ask(unreachable, "flour")
    assert ids(report) == [f"claude:{OTHER}:001"]
    reason = report.oracle_status["fallback_reason"]
    assert f"answered without meaning: The vector index at {URI}" in reason
    # Whoever shares an index must not be told to delete it because their network is down.
    assert "drop" not in reason
    assert "network" in reason


ACTIONS = {
    "status": lambda user: vector_state(user.settings),
    "index": embed,
    "drop": lambda user: drop_vectors(user.settings, ignore),
}


@pytest.mark.parametrize("action", sample([*ACTIONS], 1, ends=False))
def test_nobody_is_told_to_delete_what_cannot_be_reached(unreachable, action):
    with pytest.raises(AicxError) as raised:
        ACTIONS[action](unreachable)
    assert "network" in raised.value.hint
