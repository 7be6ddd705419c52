"""The order of `aicx steer TEXT`: words, meaning and age together."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aicx.engine.search import search
from aicx.engine.stages import steer_query
from aicx.engine.steer_answer import order_of, ranked_answer
from aicx.fields import to_fields
from aicx.filters import Filters
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.engine.search_helpers import NOW, embed, ids, keep

pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own

DAY = 86_400.0
OLD, NEW, FAR = f"claude:{SESSION}:001", f"claude:{OTHER}:001", f"claude:{THIRD}:001"


@pytest.fixture
def user(tmp_path) -> Home:
    """Words of equal weight long ago and lately, and something else."""
    user = Home(tmp_path)
    user.claude(ClaudeLog(SESSION).prompt("The valve of the pump is stuck", -300 * DAY))
    user.claude(ClaudeLog(OTHER).prompt("The valve of the pump is wet", 0))
    user.claude(ClaudeLog(THIRD).prompt("A question on bookbinding, and a valve", 1))
    keep(user)
    return user


def steered(user: Home, text: str, decay: str = "gentle", **filters):
    return search(user.settings, steer_query(text, NOW, Filters(**filters), 10, decay))


def test_of_equals_the_recent_one_comes_first_unless_age_is_off(user):
    assert ids(steered(user, "valve pump"))[:2] == [NEW, OLD]
    assert ids(steered(user, "valve pump stuck", "off"))[0] == OLD
    ages = {hit.sidecar.id: hit.decay_factor for hit in steered(user, "valve pump").hits}
    assert 1.5 > ages[NEW] > ages[OLD] > 0.5


@pytest.mark.parametrize("decay", ["off", "gentle", "strong", "3"])
def test_scores_fall_in_the_order_of_the_items(user, decay):
    fields = to_fields(ranked_answer(steered(user, "valve pump stuck bookbinding", decay)))
    scores = [item["score"] for item in fields["items"]]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert fields["decay"] == decay


@pytest.mark.slow
def test_meaning_counts_where_there_is_an_index_for_it(user):
    embed(user)
    report = steered(user, "valve", "off")
    assert report.oracle_status["rankers"] == ["dense", "lexical"]
    assert order_of(to_fields(ranked_answer(report))) == "ordered by words and meaning"
    report = steered(user, "valve")
    assert order_of(to_fields(ranked_answer(report))) == "ordered by words, meaning and age (decay gentle)"


def test_a_date_in_the_text_limits_and_a_date_alone_lists(user):
    assert ids(steered(user, "valve in march 2026")) == ids(steered(user, "valve", date=("2026-03-01", "2026-03-31")))
    assert ids(steered(user, "march 2026")) == [FAR, NEW]


def test_chunks_of_one_session_are_listed_one_by_one(user):
    log = ClaudeLog(SESSION).prompt("The valve of the pump is stuck", -300 * DAY)
    user.claude(log.prompt("The valve again", -299 * DAY))
    keep(user)
    assert {OLD, f"claude:{SESSION}:002"} <= set(ids(steered(user, "valve")))
    day = (NOW - timedelta(days=319)).date().isoformat()
    assert [one for one in ids(steered(user, f"since {day}")) if SESSION in one] == [f"claude:{SESSION}:002", OLD]
