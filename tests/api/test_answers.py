"""Every JSON answer: its dataclass has the fields that docs/json.md lists, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from aicx.api.answers import INLINE, OPTIONAL, index, rank, resume, search, sessions, show, steer, to_fields, why
from aicx.api.filters import Filters
from aicx.commands.search import search as run_search
from aicx.corpus.catalog.query import steer as run_steer
from aicx.corpus.views.show import show as run_show
from aicx.engine.search import SearchQuery
from tests.corpus.builders import SESSION, Home
from tests.engine.search_helpers import NOW

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "json.md"
ANSWERS: dict[str, tuple[type[Any], ...]] = {
    search.SCHEMA: (search.SearchAnswer,),
    steer.SCHEMA: (steer.SteerAnswer,),
    sessions.SCHEMA: (sessions.SessionsAnswer,),
    rank.SCHEMA: (rank.RankAnswer,),
    index.SCHEMA: (index.IndexAnswer, index.IndexBuilt, index.IndexDropped),
    show.SCHEMA: (show.ShowAnswer,),
    resume.SCHEMA: (resume.ResumeAnswer,),
    why.SCHEMA: (why.WhyAnswer,),
}


def names_of(answer: type[Any]) -> Iterator[str]:
    """The names of an answer's fields, and of everything in it that has fields of its own."""
    # Imported for types alone by `aicx.api.answers.steer`, where a start counts.
    types = get_type_hints(answer, localns={"SearchStatus": search.SearchStatus})
    for one in fields(answer):
        if "inline" not in one.metadata:
            yield one.name
        for kind in parts_of(types[one.name]):
            yield from names_of(kind)


def parts_of(kind: Any) -> Iterator[type[Any]]:
    if is_dataclass(kind):
        yield kind  # type: ignore[misc]
    for argument in get_args(kind):
        yield from parts_of(argument)


def section(schema: str) -> str:
    parts = DOCUMENTATION.read_text("utf-8").split("\n## ")
    [found] = [part for part in parts if f"`{schema}`" in part.partition("\n")[0]]
    return found


def words(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize("schema", ANSWERS)
def test_every_field_of_an_answer_is_documented(schema: str) -> None:
    names = {name for answer in ANSWERS[schema] for name in names_of(answer)}
    # What a status has in common with that of `steer` or of `search` is described there.
    known = words(section(schema)) | words(section(steer.SCHEMA)) | words(section(search.SCHEMA))
    assert names - known == set()


@pytest.mark.parametrize("schema", [search.SCHEMA, steer.SCHEMA, sessions.SCHEMA, rank.SCHEMA, why.SCHEMA])
def test_every_documented_field_is_in_the_answer(schema: str) -> None:
    names = {name for answer in ANSWERS[schema] for name in names_of(answer)}
    rows = [line.split("|")[1] for line in section(schema).splitlines() if line.startswith("| `")]
    assert rows
    assert words(" ".join(rows)) - names == set()


def test_answers_are_made_of_what_was_found(user: Home) -> None:
    layout = user.settings.layout
    found = search.search_answer(run_search(user.settings, SearchQuery("lexer", NOW)))
    assert found.results == len(found.items) == 1
    assert found.oracle_status.freshness["lexical"].behind == 0
    listed = to_fields(steer.steer_answer(run_steer(layout, Filters(), 5)))
    assert [item["id"] for item in listed["items"]] == [found.items[0].id]
    assert list(listed["oracle_status"])[:2] == ["source_layer", "backend"]


def test_a_shown_session_has_texts_only_where_they_were_asked_for(user: Home) -> None:
    brief = to_fields(show.show_answer(run_show(user.settings.layout, SESSION, 5), SESSION))
    full = to_fields(show.show_answer(run_show(user.settings.layout, SESSION, 5, full=True), SESSION))
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
    one: int
    inner: Inner | None = field(metadata=INLINE)
    many: list[Inner]


def test_inlined_fields_stand_among_those_around_them() -> None:
    assert to_fields(Outer(1, Inner(2), [Inner(2, 3)])) == {"one": 1, "two": 2, "many": [{"two": 2, "three": 3}]}
    assert to_fields(Outer(1, None, [])) == {"one": 1, "many": []}
