"""The shared reader: exact positions, and damage that costs only itself."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.sources.items import BadRecord, LogFile
from aicx.sources.records import (
    RawRecord,
    dump_json,
    element_ref,
    list_folder,
    parse_instant,
    read_json,
    read_json_cut,
    read_jsonl,
    stat_log,
)


def write_log(folder: Path, content: bytes) -> LogFile:
    path = folder / "log.jsonl"
    path.write_bytes(content)
    log = stat_log("agent", "format", path)
    assert isinstance(log, LogFile)
    return log


def read(folder: Path, content: bytes) -> list[RawRecord | BadRecord]:
    return list(read_jsonl(write_log(folder, content)))


def values(items: list[RawRecord | BadRecord]) -> list[Any]:
    return [item.value for item in items if isinstance(item, RawRecord)]


def reasons(items: list[RawRecord | BadRecord]) -> list[tuple[str, int | None]]:
    return [(item.reason, item.line) for item in items if isinstance(item, BadRecord)]


def test_every_line_becomes_a_record(tmp_path):
    assert values(read(tmp_path, b'{"a":1}\n{"a":2}\n')) == [{"a": 1}, {"a": 2}]


def test_positions_are_those_of_the_line_on_disk(tmp_path):
    items = read(tmp_path, '{"a":"é"}\n\n{"a":2}\r\n'.encode())
    assert [(item.start, item.end, item.line) for item in items] == [(0, 11, 1), (12, 21, 3)]


def test_reference_hashes_the_line_without_the_white_space_around_it(tmp_path):
    (item,) = read(tmp_path, b'  {"a":1} \r\n')
    assert item.ref("p").sha256 == sha256(b'{"a":1}').hexdigest()


def test_missing_last_newline_is_no_damage(tmp_path):
    assert values(read(tmp_path, b'{"a":1}\n{"a":2}')) == [{"a": 1}, {"a": 2}]


def test_bad_line_does_not_stop_the_file(tmp_path):
    items = read(tmp_path, b'{"a":1}\nnot json\n{"a":2}\n')
    assert values(items) == [{"a": 1}, {"a": 2}]
    assert reasons(items) == [("is not JSON", 2)]


def test_half_written_last_line_is_reported_as_unfinished(tmp_path):
    items = read(tmp_path, b'{"a":1}\n{"a":')
    assert reasons(items) == [("unfinished last line, read again when it is complete", 2)]


def test_objects_glued_on_one_line_all_come_out(tmp_path):
    assert values(read(tmp_path, b'{"a":1}{"b":{"c":2}} {"d":3}\n')) == [{"a": 1}, {"b": {"c": 2}}, {"d": 3}]


def test_record_glued_behind_half_a_record_is_kept(tmp_path):
    items = read(tmp_path, b'{"a":1}{"b":{"c":"hal{"d":{"e":3}}\n{"f":4}\n')
    assert values(items) == [{"a": 1}, {"d": {"e": 3}}, {"f": 4}]
    assert reasons(items) == [("is not JSON", 1)]


def test_object_nested_in_half_a_record_is_not_taken_for_a_record(tmp_path):
    items = read(tmp_path, b'{"b":{"c":1},"d":"hal\n')
    assert values(items) == []


def test_padding_left_by_a_crash_costs_no_record(tmp_path):
    items = read(tmp_path, b'{"a":1}\n\0\0\0\0{"a":2}\n')
    assert values(items) == [{"a": 1}, {"a": 2}]


def test_line_of_padding_alone_is_reported(tmp_path):
    assert reasons(read(tmp_path, b"\0\0\0\n")) == [("holds only NUL bytes", 1)]


def test_blank_lines_are_nothing(tmp_path):
    assert read(tmp_path, b"\n  \r\n\n") == []


def test_value_that_is_no_object_is_reported(tmp_path):
    assert reasons(read(tmp_path, b"[1]\n")) == [("holds a JSON list, not an object", 1)]


def test_lone_surrogate_becomes_a_question_mark(tmp_path):
    assert values(read(tmp_path, b'{"a":["\\ud83d",{"\\udc00":1}]}\n')) == [{"a": ["?", {"?": 1}]}]


def test_invalid_utf8_is_replaced(tmp_path):
    assert values(read(tmp_path, b'{"a":"\xff"}\n')) == [{"a": "\ufffd"}]


def test_raw_control_character_is_kept(tmp_path):
    assert values(read(tmp_path, b'{"a":"x\ty"}\n')) == [{"a": "x\ty"}]


def test_deep_nesting_costs_only_its_line(tmp_path):
    items = read(tmp_path, b'{"a":' * 100_000 + b"\n" + b'{"a":2}\n')
    assert values(items) == [{"a": 2}]


def test_reading_stops_at_the_size_seen_when_listed(tmp_path):
    log = write_log(tmp_path, b'{"a":1}\n')
    with log.path.open("ab") as stream:
        stream.write(b'{"a":2}\n')
    assert values(list(read_jsonl(log))) == [{"a": 1}]


def test_file_that_shrank_is_reported(tmp_path):
    log = write_log(tmp_path, b'{"a":1}\n{"a":2}\n')
    log.path.write_bytes(b'{"a":1}\n')
    assert reasons(list(read_jsonl(log))) == [("became shorter while it was read (8 of 16 bytes)", None)]


def test_vanished_file_is_reported(tmp_path):
    log = write_log(tmp_path, b"{}\n")
    log.path.unlink()
    assert reasons(list(read_jsonl(log))) == [("cannot be read: No such file or directory", None)]


def read_short(folder: Path, content: bytes) -> list[RawRecord | BadRecord]:
    return list(read_jsonl(write_log(folder, content), limit=8192, block=4096))


def test_blob_in_an_over_long_line_is_elided_and_the_rest_kept(tmp_path):
    line = json.dumps({"image": "A" * 40_000, "text": "kept"}).encode()
    (item,) = read_short(tmp_path, line + b"\n")
    assert item.value["text"] == "kept"
    assert len(item.raw) < 8192


def test_blob_after_an_escape_leaves_the_escape_whole(tmp_path):
    line = json.dumps({"text": "x\n" + "A" * 40_000, "more": "é" + "B" * 3000}).encode()
    (item,) = read_short(tmp_path, line + b"\n")
    assert item.value["text"].startswith("x\nAAAA")
    assert item.value["more"].startswith("éBBB")


def test_data_left_out_of_an_over_long_line_is_counted_once(tmp_path):
    line = json.dumps({"images": ["A" * 40_000, "B" * 3000], "text": "kept"}).encode()
    items = read_short(tmp_path, line + b'{"glued":1}\n{"next":"' + b"C" * 3000 + b'"}\n')
    assert [item.cut for item in items] == [2, 0, 0]


def test_reference_of_an_over_long_line_hashes_what_is_on_disk(tmp_path):
    line = json.dumps({"image": "A" * 40_000}).encode()
    (item,) = read_short(tmp_path, line + b"\n")
    assert item.ref("p").sha256 == sha256(line).hexdigest()


def test_line_that_stays_over_long_costs_only_itself(tmp_path):
    line = json.dumps({"text": "word " * 2000}).encode()
    items = read_short(tmp_path, line + b'\n{"a":2}\n')
    assert values(items) == [{"a": 2}]
    assert reasons(items) == [(f"line of {len(line) + 1} bytes is over the limit of 8192", 1)]


json_objects = st.dictionaries(
    st.text(max_size=5),
    st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5),
)


@given(st.lists(json_objects, max_size=4), st.integers(min_value=0))
@pytest.mark.slow
def test_cutting_a_log_anywhere_keeps_every_whole_line(tmp_path_factory, objects, cut):
    lines = [json.dumps(value).encode() + b"\n" for value in objects]
    content = b"".join(lines)
    cut = cut % (len(content) + 1)
    found = values(read(tmp_path_factory.getbasetemp(), content[:cut]))
    whole = content[:cut].count(b"\n")
    assert found[:whole] == values(read(tmp_path_factory.getbasetemp(), content))[:whole]


def test_folder_named_like_a_log_is_reported(tmp_path):
    assert stat_log("agent", "format", tmp_path) == BadRecord(str(tmp_path), "is a folder, not a log")


def test_pipe_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "log")
    assert stat_log("agent", "format", tmp_path / "log") == BadRecord(str(tmp_path / "log"), "is not a regular file")


def test_fingerprint_changes_with_the_content(tmp_path):
    before = write_log(tmp_path, b"{}\n").fingerprint
    assert write_log(tmp_path, b"{}\n{}\n").fingerprint != before


def test_read_json_returns_the_object(tmp_path):
    assert read_json(write_log(tmp_path, b'{"a": "\\ud83d"}')) == {"a": "?"}


@pytest.mark.parametrize("content", [b"", b'{"a":1}{"b":2}', b'{"a":'])
def test_read_json_wants_one_whole_object(tmp_path, content):
    log = write_log(tmp_path, content)
    assert read_json(log) == BadRecord(str(log.path), "is not one whole JSON object")


def test_read_json_refuses_a_file_over_the_limit(tmp_path):
    log = write_log(tmp_path, b'{"a":1}')
    assert read_json(log, limit=3) == BadRecord(str(log.path), "file of 7 bytes is over the limit of 3")


def test_read_json_measures_what_remains_of_a_large_file(tmp_path):
    log = write_log(tmp_path, json.dumps({"image": "A" * 40_000, "text": "kept"}).encode())
    whole, cut = read_json_cut(log, limit=1000, whole_up_to=1000)
    assert isinstance(whole, dict)
    assert (whole["text"], cut) == ("kept", 1)


def test_element_reference_depends_on_position_and_content():
    refs = {element_ref("p", 0, {"a": 1}), element_ref("p", 1, {"a": 1}), element_ref("p", 0, {"a": 2})}
    assert len(refs) == 3


def test_huge_integer_can_be_written_again(tmp_path):
    (value,) = values(read(tmp_path, b'{"a":123456789012345678901234567890,"b":"\\ud83d"}\n'))
    assert dump_json(value) == b'{"a":1.2345678901234568e+29,"b":"?"}'


def test_integer_of_64_bits_stays_exact(tmp_path):
    assert values(read(tmp_path, b'{"a":1700000000123456789,"b":"\\ud83d"}\n'))[0]["a"] == 1700000000123456789


def test_nesting_too_deep_to_write_becomes_a_mark():
    value: Any = "x"
    for _ in range(400):
        value = [value]
    assert dump_json(value) == b'"[nested too deep]"'


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2026-03-01T12:00:00", 1772366400, 1772366400000],
)
def test_instants_are_aware_and_utc(value):
    at = parse_instant(value)
    assert at == NOON
    assert at is not None
    assert at.tzinfo is UTC


@pytest.mark.parametrize("value", [None, True, "yesterday", "", 1e300, float("nan"), 0, -5, {}, ["2026-03-01"]])
def test_what_is_no_instant_is_none(value):
    assert parse_instant(value) is None


def test_folder_is_listed_by_name(tmp_path):
    for name in ("b", "a", "c"):
        (tmp_path / name).touch()
    listed = list_folder(tmp_path)
    assert isinstance(listed, list)
    assert [path.name for path in listed] == ["a", "b", "c"]


def test_missing_folder_is_empty(tmp_path):
    assert list_folder(tmp_path / "none") == []


def test_folder_that_cannot_be_listed_is_reported(tmp_path):
    (tmp_path / "file").touch()
    listed = list_folder(tmp_path / "file")
    assert listed == BadRecord(str(tmp_path / "file"), "cannot be listed: Not a directory")
