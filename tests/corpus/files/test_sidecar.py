"""The sidecar's bytes: a round trip, nothing unknown lost, and damage that is named."""

from __future__ import annotations

import random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.corpus.files import REQUIRED, decode_sidecar, encode_sidecar
from aicx.errors import CorpusDamaged
from tests.corpus.builders import chunks_of, entry

FIELDS = {
    "schema": "aicx.chunk/1",
    "id": "claude:s:001",
    "project": "ada/orbit",
    "agent": "claude",
    "session_id": "s",
    "date": "2026-03-01",
    "kind": "conversations",
    "started_at": "2026-03-01T10:00:00.000Z",
    "completed_at": "2026-03-01T10:00:00.000Z",
    "content_sha256": "0" * 64,
    "source": {"path": "/logs/one.jsonl", "format": "claude-jsonl", "spans": [[0, 5]], "sha256": "0" * 64},
    "redactions": {},
}

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(
    SCALARS | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
UNKNOWN = st.dictionaries(TEXTS.filter(lambda name: name not in REQUIRED), VALUES, max_size=5)


def without_empty(fields):
    return {name: value for name, value in fields.items() if name in REQUIRED or value not in (None, [], {}, "")}


@given(UNKNOWN)
def test_a_sidecar_comes_back_with_its_unknown_fields(extra):
    fields = without_empty(FIELDS | extra)
    assert decode_sidecar(encode_sidecar(FIELDS | extra), "x").fields == fields


@given(UNKNOWN, st.randoms(use_true_random=False))
def test_the_bytes_do_not_depend_on_the_order_of_the_fields(extra, chance: random.Random):
    fields = list((FIELDS | extra).items())
    shuffled = fields.copy()
    chance.shuffle(shuffled)
    assert encode_sidecar(dict(shuffled)) == encode_sidecar(dict(fields))


@given(UNKNOWN)
def test_writing_what_was_read_gives_the_same_bytes(extra):
    body = encode_sidecar(FIELDS | extra)
    assert encode_sidecar(decode_sidecar(body, "x").fields) == body


def test_an_encoded_sidecar_is_json():
    body = encode_sidecar(FIELDS | {"messages": [{"key": "a"}, {"key": "b"}]})
    assert orjson.loads(body)["messages"] == [{"key": "a"}, {"key": "b"}]


def test_the_required_fields_come_first_and_in_order():
    assert list(orjson.loads(encode_sidecar({"aaa": 1, **FIELDS})))[: len(REQUIRED)] == list(REQUIRED)


def test_an_optional_field_that_is_empty_is_absent():
    assert list(orjson.loads(encode_sidecar(FIELDS | {"files": [], "title": None, "tools": {}, "run_id": ""}))) == list(
        REQUIRED
    )


@pytest.mark.parametrize("value", [0, False, 0.0])
def test_a_value_that_says_no_is_not_empty(value):
    assert decode_sidecar(encode_sidecar(FIELDS | {"findings_count": value}), "x").get("findings_count") == value


def test_an_empty_required_field_stays():
    assert decode_sidecar(encode_sidecar(FIELDS), "x").fields["redactions"] == {}


@pytest.mark.parametrize("name", REQUIRED)
def test_a_sidecar_without_a_required_field_is_damaged(name):
    body = orjson.dumps({key: value for key, value in FIELDS.items() if key != name})
    with pytest.raises(CorpusDamaged, match=f"x.meta.json lacks {name}"):
        decode_sidecar(body, "x.meta.json")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'{"schema": "\\ud800"}'])
def test_a_file_that_is_no_object_is_damaged(body):
    with pytest.raises(CorpusDamaged):
        decode_sidecar(body, "x")


def test_another_kind_of_file_is_refused():
    with pytest.raises(CorpusDamaged, match="unknown schema"):
        decode_sidecar(orjson.dumps(FIELDS | {"schema": "other/1"}), "x")


def test_a_later_version_of_the_schema_can_be_read():
    assert decode_sidecar(orjson.dumps(FIELDS | {"schema": "aicx.chunk/2"}), "x").id == "claude:s:001"


@pytest.mark.parametrize("chunk_id", ["", "claude:s", "claude:s:", "claude:s:one"])
def test_an_id_without_a_number_is_damaged(chunk_id):
    with pytest.raises(CorpusDamaged, match="malformed id"):
        decode_sidecar(orjson.dumps(FIELDS | {"id": chunk_id}), "x")


def test_the_fields_everything_needs_are_attributes():
    sidecar = decode_sidecar(encode_sidecar(FIELDS | {"stream": "history"}), "x")
    assert (sidecar.agent, sidecar.session_id, sidecar.number, sidecar.stream) == ("claude", "s", 1, "history")


def test_a_real_chunk_has_every_required_field():
    fields = decode_sidecar(chunks_of([entry()])[0].sidecar, "x").fields
    assert set(REQUIRED) <= set(fields)
