"""Every JSON answer: what it is made of, and what docs/json.md says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest

from aicx.commands.search import search as run_search
from aicx.corpus.catalog.query import steer as run_steer
from aicx.corpus.views.show import show as run_show
from aicx.engine import search_answer as search
from aicx.engine import steer_answer as steer
from aicx.engine.search import SearchQuery
from aicx.fields import INLINE, INTERNAL, OPTIONAL, to_fields
from aicx.filters import Filters
from aicx.servers.described import COMMON, described, reachable
from docs import generate_json
from tests.corpus.builders import SESSION, Home
from tests.engine.search_helpers import NOW

ANSWERS = [answer for _, answers in generate_json.ANSWERS.values() for answer in answers]


def test_the_page_is_made_from_the_classes() -> None:
    assert generate_json.main(["--check"]) == 0


def test_a_class_that_changed_makes_the_page_out_of_date(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(generate_json.ANSWERS, "doctor", ("aicx.doctor/1", [Outer]))
    assert generate_json.main(["--check"]) == 1
    assert "+| `one` | integer | the first |" in capsys.readouterr().err


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.__name__)
def test_every_field_says_what_it_means(answer: type[Any]) -> None:
    fields = [(kind.__name__, one.name) for kind, rows in reachable(answer).items() for one in rows if not one.meaning]
    assert [(kind, name) for kind, name in fields if name] == []


def test_what_several_answers_have_is_meant_by_some() -> None:
    names = {one.name for rows in reachable(*ANSWERS).values() for one in rows}
    assert set(COMMON) - names == set()


def test_inlined_fields_are_described_in_their_place() -> None:
    assert [(one.name, one.meaning, one.optional) for one in described(Outer)] == [
        ("one", "the first", False),
        ("two", "", False),
        ("three", "", True),
        ("many", "", False),
    ]


def test_keys_of_an_inlined_mapping_are_described_together() -> None:
    assert [(one.name, one.meaning) for one in described(Keyed)] == [("", "by name")]
    assert to_fields(Keyed({"a": Inner(2)})) == {"a": {"two": 2}}


def test_answers_are_made_of_what_was_found(user: Home) -> None:
    layout = user.settings.layout
    found = search.search_answer(run_search(user.settings, SearchQuery("lexer", NOW)))
    assert found.results == len(found.items) == 1
    assert found.oracle_status.freshness["lexical"].behind == 0
    listed = to_fields(steer.steer_answer(run_steer(layout, Filters(), 5)))
    assert [item["id"] for item in listed["items"]] == [found.items[0].id]
    assert list(listed["oracle_status"])[:2] == ["source_layer", "backend"]


def test_a_shown_session_has_texts_only_where_they_were_asked_for(user: Home) -> None:
    brief = to_fields(run_show(user.settings.layout, SESSION, 5))
    full = to_fields(run_show(user.settings.layout, SESSION, 5, full=True))
    assert brief["found"] == full["found"] == "session"
    assert {"markdown", "altered", "source_states"}.isdisjoint(brief["chunks"][0])
    assert "lexer" in full["chunks"][0]["markdown"]
    assert "source_states" not in full["chunks"][0]


@dataclass(frozen=True, slots=True)
class Inner:
    two: int
    three: int | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class Outer:
    one: Annotated[int, "the first"]
    inner: Inner | None = field(metadata=INLINE)
    many: list[Inner]


@dataclass(frozen=True, slots=True)
class Keyed:
    inner: Annotated[dict[str, Inner], "by name"] = field(metadata=INLINE)


def test_inlined_fields_stand_among_those_around_them() -> None:
    assert to_fields(Outer(1, Inner(2), [Inner(2, 3)])) == {"one": 1, "two": 2, "many": [{"two": 2, "three": 3}]}
    assert to_fields(Outer(1, None, [])) == {"one": 1, "many": []}


@dataclass(frozen=True, slots=True)
class Judged:
    at: Annotated[datetime, "when"]
    word: Annotated[Literal["a", "b"], "`a` or `b`", str]
    own: int = field(default=0, metadata=INTERNAL)

    @property
    def known(self) -> Annotated[bool, "whether it is a"]:
        return self.word == "a"

    @property
    def other(self) -> bool:
        return not self.known


def test_a_property_that_says_what_it_means_comes_after_the_fields() -> None:
    found = Judged(datetime(2026, 5, 1, 12, tzinfo=UTC), "a")
    assert to_fields(found) == {"at": "2026-05-01T12:00:00.000Z", "word": "a", "known": True}


def test_fields_and_such_properties_are_described_with_the_type_that_is_to_be_shown() -> None:
    told = [(one.name, one.type, one.meaning) for one in described(Judged)]
    assert told == [("at", datetime, "when"), ("word", str, "`a` or `b`"), ("known", bool, "whether it is a")]
