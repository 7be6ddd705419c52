"""What meaning gains on one's own history: questions mined from it, asked both ways."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from aicx.bench import gain
from aicx.bench.dataset import Query
from aicx.bench.gain import gain_of, measure_gain
from aicx.bench.mining import read_sessions
from aicx.bench.mining.questions import mine_reasks
from aicx.commands.index import gain_line
from aicx.engine.embedder_choice import Choice
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.vector_index import build_vectors
from tests.bench.invented import models
from tests.corpus.builders import ClaudeLog, Home
from tests.parts import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own
DAY = 86_400.0
# Words of which each is in one pair of sessions only.
THINGS = [
    "anchor",
    "beacon",
    "compass",
    "dinghy",
    "estuary",
    "foghorn",
    "galley",
    "harbour",
    "inlet",
    "jetty",
    "keel",
    "lagoon",
]


def quiet(_: object) -> None:
    pass


def indexed(folder: Path, pairs: int) -> Home:
    """Pairs of sessions of which the second asks again what the first was asked."""
    require("semantic")
    user = Home(folder)
    for number, thing in enumerate(THINGS[:pairs]):
        asked = f"why does the {thing} beside {thing}works drift every {thing}month"
        again = f"look at the {thing} beside {thing}works once more, it still seems wrong to me"
        for at, text in enumerate((asked, again)):
            key = f"{number:04d}{at:04d}-0000-4000-8000-000000000001"
            user.claude(ClaudeLog(key).prompt(text, (2 * number + at) * DAY))
    user.store()
    refresh_lexical(user.settings, quiet)
    models(user.settings.layout.models)
    build_vectors(user.settings, Choice("static"), rebuild=False, on_progress=quiet, notify=quiet)
    return user


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return indexed(tmp_path_factory.mktemp("gain"), len(THINGS))


def questions(user: Home) -> list[Query]:
    return mine_reasks(read_sessions(user.settings.layout, 5000), len(THINGS), Random(0))


def test_questions_are_asked_by_words_and_by_meaning_too(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gain, "_LEAST", 10)
    found = gain_of(user.settings, questions(user), 0)
    assert found.questions == len(THINGS)
    assert found.words is not None
    assert found.both is not None
    assert found.more is not None
    assert found.words.mean > 0.5  # the session that asks again is not counted, or it would be before the right one
    assert found.more.mean == pytest.approx(found.both.mean - found.words.mean)
    assert found.more.low <= found.more.mean <= found.more.high
    line = gain_line(found)
    assert line.startswith(f"{len(THINGS)} questions mined from your own history: the right session's MRR@10 is ")
    assert "95 % interval" in line


def test_nothing_is_said_of_a_dozen_questions(user: Home) -> None:
    found = gain_of(user.settings, questions(user), 0)
    assert (found.questions, found.words, found.both, found.more) == (len(THINGS), None, None, None)


def test_prompts_that_ask_again_in_the_logs_own_words_are_no_questions(user: Home) -> None:
    assert measure_gain(user.settings).questions == 0


def test_no_more_is_asked_than_its_bounds_say(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gain, "_LEAST", 10)
    monkeypatch.setattr(gain, "_ASKING_SECONDS", -1.0)
    found = gain_of(user.settings, questions(user), 0)
    assert found.questions < 10
    assert found.words is None
