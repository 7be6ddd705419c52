"""Every text of a value is found by its type, so that a new field is redacted and forgotten without being listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.continuity.note import Note
from aicx.memory.record import Record
from aicx.storage.typed import Called, Made, texts_of, with_texts
from aicx.values import dataclass
from aicx.work.record import WorkRecord, stored
from tests.test_kept_bytes import ATTEMPT, MEMORY, TASK

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3  # made up, in the shape of a real one


class Pair(NamedTuple):
    left: str
    right: tuple[str, ...]


PAIR = Pair("", ())


@dataclass(frozen=True)
class Leaf:
    word: str
    at: datetime = NOON


@dataclass(frozen=True)
class Tree:
    id: Made
    owner: Called
    kind: Literal["one", "two"]
    count: int
    text: str
    maybe: str | None = None
    leaves: tuple[Leaf, ...] = ()
    pair: Pair = PAIR
    claims: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Later(WorkRecord):
    """A record of a later version, with a field of which nobody has thought anywhere."""

    remark: str = ""
    remarks: tuple[Leaf, ...] = ()


TREE = Tree(
    "id",
    "owner",
    "one",
    1,
    "text",
    "maybe",
    (Leaf("leaf"),),
    Pair("left", ("right",)),
    {"key": "value"},
    {"x": [{"y": "z"}]},
)


def test_every_text_is_found_but_ids_and_fixed_words() -> None:
    assert list(texts_of(TREE)) == [
        *("owner", "text", "maybe", "leaf", "left", "right", "key", "value", "x", "y", "z"),
    ]


def test_names_are_left_out_where_words_are_looked_for() -> None:
    assert set(texts_of(TREE)) - set(texts_of(TREE, names=False)) == {"owner"}


def test_changing_nothing_gives_the_value_itself() -> None:
    assert with_texts(TREE, str) is TREE


def test_ids_and_fixed_words_are_not_changed() -> None:
    found = with_texts(TREE, str.upper)
    assert (found.id, found.kind, found.owner, found.pair.right) == ("id", "one", "OWNER", ("RIGHT",))
    assert found.claims == {"KEY": "VALUE"}


@given(
    st.recursive(
        st.text() | st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
@pytest.mark.slow
def test_what_is_changed_is_what_is_found(value: Any) -> None:
    seen: list[str] = []

    def change(text: str) -> str:
        seen.append(text)
        return text

    with_texts(value, change)
    assert sorted(filter(None, seen)) == sorted(texts_of(value))


def test_a_new_field_of_a_record_is_redacted_and_searched() -> None:
    own = {one.name: getattr(TASK, one.name) for one in fields(TASK)}
    record = Later(**own, remark=f"it is {TOKEN}", remarks=(Leaf(f"and {TOKEN}"),))
    assert [text for text in texts_of(record) if TOKEN in text] == [f"it is {TOKEN}", f"and {TOKEN}"]
    found = with_texts(record, stored)
    assert (found.remark, found.remarks[0].word) == ("it is [REDACTED:github-token]", "and [REDACTED:github-token]")


@pytest.mark.parametrize("record", [TASK, ATTEMPT, MEMORY], ids=["task", "attempt", "memory"])
def test_a_record_without_secrets_passes_its_gate_as_it_is(record: WorkRecord | Record) -> None:
    assert with_texts(record, stored) is record


@pytest.mark.parametrize("kind", [WorkRecord, Record, Note])
def test_fields_left_out_are_ids_and_numbers_alone(kind: type) -> None:
    """A list to be looked at when it grows: whatever is here is neither redacted nor forgotten."""
    texts = {name for name, _ in _walked(kind)}
    left = {one.name for one in fields(kind)} - texts
    assert left <= {
        *("id", "kind", "repo_id", "worktree_id", "created_at", "updated_at", "status", "rev", "sequence", "focused"),
        *("last_event", "environment_negative", "sightings", "pinned", "retention", "path", "by_hand", "digest"),
    }


def _walked(kind: type) -> tuple[tuple[str, bool], ...]:
    from aicx.storage.typed import _fields

    found = _fields(kind)
    assert found is not None
    return found
