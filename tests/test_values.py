"""Dataclasses made the quick way are what the standard library makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import random
import re
from dataclasses import field, replace
from typing import Any

import pytest

from aicx import values


def both(**options: Any) -> list[type]:
    """One class made by the standard library and one made by aicx, with the same fields."""
    made = []
    for maker in (dataclasses.dataclass, values.dataclass):

        class Point:
            x: int
            names: tuple[str, ...] = ()
            seen: list[int] = field(default_factory=list, compare=False)
            hidden: str = field(default="h", repr=False)

        Point.__qualname__ = "Point"
        made.append(maker(**options)(Point))
    return made


@pytest.mark.parametrize(("frozen", "slots"), [(True, True), (True, False), (False, True), (False, False)])
def test_equal_hashed_printed_and_copied_as_the_library_does(frozen: bool, slots: bool) -> None:
    for cls in both(frozen=frozen, slots=slots):
        one, same, other = cls(1, ("a",), [1]), cls(1, ("a",), [2]), cls(2, ("a",))
        assert one == same != other
        assert one != (1, ("a",), "h")
        assert repr(one) == "Point(x=1, names=('a',), seen=[1])"
        assert (cls.__hash__ is None) is not frozen
        if frozen:
            assert hash(one) == hash(same)
            with pytest.raises(dataclasses.FrozenInstanceError):
                one.x = 2
        assert values.replace(one, x=2) == replace(one, x=2) == other != one


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"kw_only": True}, {"frozen": True, "slots": True}], ids=str)
def test_an_object_is_made_as_the_library_makes_it(options: dict[str, Any]) -> None:
    shown = []
    for maker in (dataclasses.dataclass, values.dataclass):

        class Base:
            one: int
            late: list[int] = field(default_factory=list, kw_only=True)

        class Child(Base := maker(**options)(Base)):  # type: ignore[valid-type, misc, no-redef]
            two: str = "two"
            unset: int = field(init=False)
            made: dict[str, int] = field(default_factory=dict, init=False)

            def __post_init__(self) -> None:
                object.__setattr__(self, "unset", self.one + 1)

        cls = maker(**options)(Child)
        kinds = [(one.name, one.kind) for one in inspect.signature(cls).parameters.values()]
        with pytest.raises(TypeError) as refused:
            cls()
        made = [cls(one=1), cls(one=1, two="2", late=[3])]
        assert made[0].late is not cls(one=1).late
        shown.append((kinds, str(refused.value).partition(".<locals>.")[2], repr(made), cls.__match_args__))
    assert shown[0] == shown[1]


def test_what_is_frozen_is_neither_changed_nor_deleted_and_is_pickled() -> None:
    for slots in (False, True):
        point = (Slotted if slots else Plain)(1)
        for change in (lambda one=point: setattr(one, "x", 2), lambda one=point: delattr(one, "x")):
            with pytest.raises(dataclasses.FrozenInstanceError):
                change()
        assert pickle.loads(pickle.dumps(point)) == point == copy.deepcopy(point)


def test_an_expression_is_compiled_for_the_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    word = values.regex(r"(?P<word>\w+)", re.ASCII)
    broken = values.regex("(")
    with pytest.raises(re.error):
        broken.search("")
    assert (word.findall("a é b"), word.sub("-", "a b"), word.match(" a")) == (["a", "b"], "- -", None)
    assert (word.pattern, word.flags, word.groupindex) == (r"(?P<word>\w+)", re.ASCII, {"word": 1})
    assert copy.deepcopy(word).fullmatch("ab")["word"] == "ab"
    monkeypatch.setattr(re, "compile", None)
    assert word.findall("a") == ["a"]


def test_classes_with_the_same_values_are_not_equal() -> None:
    one, two = both(frozen=True, slots=True)
    assert one(1) != two(1)


@values.dataclass(frozen=True)
class Plain:
    """Frozen, without slots."""

    x: int


@values.dataclass(frozen=True, slots=True)
class Slotted:
    """Frozen, with slots."""

    x: int


@values.dataclass(frozen=True, slots=True)
class Own:
    """A class with methods of its own, and one field."""

    word: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.word.lower() == other.word.lower()

    def __repr__(self) -> str:
        return "own"


@values.dataclass(frozen=True)
class Empty:
    """No field at all."""


def test_methods_of_the_class_are_kept() -> None:
    assert Own("A") == Own("a")
    assert repr(Own("A")) == "own"


def test_no_field_and_one_field() -> None:
    assert Empty() == Empty()
    assert {Empty(), Empty()} == {Empty()}
    assert repr(Empty()) == "Empty()"


def test_it_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Own("a"))) == Own("a")


def test_without_comparison_identity_is_what_counts() -> None:
    for cls in both(frozen=True, slots=True, eq=False):
        one = cls(1)
        assert one != cls(1)
        assert hash(one) == object.__hash__(one)


def test_the_packages_make_all_their_dataclasses_this_way() -> None:
    from tests.test_project import ROOT

    pages = (page for name in ("aicx", "indexer", "retrieval") for page in (ROOT / name).rglob("*.py"))
    slow = [
        str(page.relative_to(ROOT))
        for page in pages
        if page.name != "values.py"
        and any(
            "dataclass" in line.replace(",", " ").split()
            for line in page.read_text("utf-8").splitlines()
            if line.startswith("from dataclasses import")
        )
    ]
    assert slow == []


@pytest.mark.parametrize("name", ["commands", "memories", "notes", "statements", "titles"])
def test_an_expression_asked_often_finds_what_it_found_before(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "_OFTEN", 2)
    rules = values.Expressions(values.table_of(name))
    told = " ".join(" ".join(patterns) for patterns in rules.lists.values() if isinstance(patterns, list))
    # Each expression says, in what is left of it without its signs, much of what it matches.
    plain = re.sub(r"\\.|[^\w\s\u2019'#,.:-]", " ", told).replace("\u2019", "'").split()
    draw = random.Random(0)
    texts = [" ".join(draw.choices(plain, k=8)) for _ in range(150)] + [
        "İT İS NOT DONE",
        "the te\u017ft\u017f pa\u017f\u017f",
    ]
    texts += ["", *(text.upper() for text in texts[:30])]
    for one, patterns in rules.lists.items():
        if all(isinstance(each, str) for each in patterns):
            expected = values._any(patterns)
            assert [m and m.span() for m in map(getattr(rules, one).search, texts)] == [
                m and m.span() for m in map(expected.search, texts)
            ], one
