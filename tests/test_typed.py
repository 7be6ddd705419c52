from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import pytest

from aicx.storage.typed import from_json, to_json

Few = Literal["one", "two"]
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@dataclass(frozen=True)
class Part:
    name: str
    at: datetime
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.name.upper()


@dataclass(frozen=True)
class Whole:
    kind: Literal["one", "two"]
    count: int
    parts: tuple[Part, ...]
    share: float = 1.0
    note: str | None = None
    held: Mapping[str, Part] = field(default_factory=dict)


@dataclass(frozen=True)
class Word:
    word: Few | Literal["three"]


WHOLE = Whole("one", 2, (Part("a", NOON, {"later": [1]}),), 0.5, "x", {"b": Part("b", NOON)})


def test_what_was_written_is_read_back() -> None:
    assert from_json(Whole, to_json(WHOLE)) == WHOLE


def test_unknown_fields_are_kept_beside_the_known_ones_and_derived_ones_are_not() -> None:
    fields = {"name": "a", "at": "2026-01-31T12:00:00Z", "later": 1, "id": "A"}
    read = from_json(Part, fields)
    assert read.extra == {"later": 1}
    assert to_json(read) == {"later": 1, "name": "a", "at": "2026-01-31T12:00:00.000Z"}


def test_a_field_may_be_missing_where_its_default_says_nothing() -> None:
    fields = {"kind": "two", "count": 1, "parts": [], "share": 1.0}
    assert from_json(Whole, fields) == Whole("two", 1, ())


@pytest.mark.parametrize("name", ["count", "share"])
def test_a_field_without_a_default_or_with_one_that_says_something_is_needed(name: str) -> None:
    fields = to_json(WHOLE)
    del fields[name]
    with pytest.raises(KeyError, match=name):
        from_json(Whole, fields)


def test_a_word_of_several_closed_sets_is_read_and_another_is_not() -> None:
    assert [from_json(Word, {"word": word}).word for word in ("one", "three")] == ["one", "three"]
    with pytest.raises(ValueError, match="unknown"):
        from_json(Word, {"word": "four"})


def test_every_text_is_cleaned_and_keys_too() -> None:
    assert from_json(Part, {"name": "A", "at": "2026-01-31T12:00:00Z"}, str.lower).name == "a"
    assert list(from_json(Whole, to_json(WHOLE) | {"held": {"B": to_json(Part("b", NOON))}}, str.lower).held) == ["b"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "three"},
        {"count": "2"},
        {"count": True},
        {"share": "much"},
        {"note": 1},
        {"parts": {}},
        {"parts": [1]},
        {"parts": [{"name": "a", "at": "2026-01-31T12:00:00"}]},
        {"parts": [{"name": "a", "at": "noon"}]},
        {"held": []},
    ],
)
def test_a_field_that_does_not_fit_its_type_raises(wrong: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        from_json(Whole, to_json(WHOLE) | wrong)


def test_a_whole_number_is_a_share() -> None:
    assert from_json(Whole, to_json(WHOLE) | {"share": 1}).share == 1
