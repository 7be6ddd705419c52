"""One member of a JSON text changes; everything else stays, to the last character."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.servers.clients.json_text import drop, parse, put

ENTRY = {"command": "/opt/aicx", "args": ["serve"]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t"])


def add(text: str) -> str:
    return put(text, "mcpServers", "aicx", ENTRY)


@given(st.dictionaries(st.text(), VALUES), st.none() | st.dictionaries(st.text(), VALUES), LAYOUTS)
def test_what_is_put_there_is_all_that_changes(rest: Any, servers: Any, indent: Any) -> None:
    whole = rest | ({} if servers is None else {"mcpServers": servers})
    if servers is None:
        whole.pop("mcpServers", None)
    found = parse(add(json.dumps(whole, indent=indent)))
    assert found == whole | {"mcpServers": whole.get("mcpServers", {}) | {"aicx": ENTRY}}


@given(st.dictionaries(st.text(), VALUES), st.dictionaries(st.text(), VALUES), LAYOUTS)
def test_putting_and_dropping_leaves_the_text_as_it_was(rest: Any, servers: Any, indent: Any) -> None:
    servers.pop("aicx", None)
    text = json.dumps(rest | {"mcpServers": servers}, indent=indent)
    assert drop(add(text), "mcpServers", "aicx") == text


COMMENTED = """// mine
{
  // about a
  "a": "http://x//y", /* in between */ "b": 1e5, // behind b
  "mcpServers": {
    // first
    "x": {"command": "npx"} // behind x
    // last
  }
  // end
}
"""


def test_comments_stay_where_they_are() -> None:
    text = add(COMMENTED)
    assert parse(text)["mcpServers"]["aicx"] == ENTRY
    kept = [line for line in text.splitlines() if "//" in line]
    assert [line.replace("},", "}") for line in kept] == [line for line in COMMENTED.splitlines() if "//" in line]
    assert drop(text, "mcpServers", "aicx") == COMMENTED


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"aicx": {\n\t\t\t"command": "/opt/aicx",'),
        (
            '{\n    "a": 1\n}',
            '{\n    "a": 1,\n    "mcpServers": {\n        "aicx": {\n            "command": "/opt/aicx",',
        ),
        (
            '{"a":1,"mcpServers":{"x":{}}}',
            '{"a":1,"mcpServers":{"x":{}, "aicx": {"command": "/opt/aicx", "args": ["serve"]}}}',
        ),
        ('{"mcpServers":{}}', '{"mcpServers":{"aicx": {"command": "/opt/aicx", "args": ["serve"]}}}'),
        ("{}", '{\n  "mcpServers": {\n    "aicx": {\n      "command": "/opt/aicx",'),
        (
            '{\r\n  "a": 1\r\n}\r\n',
            '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "aicx": {\r\n      "command": "/opt/aicx",',
        ),
        (
            ' {"mcpServers": {"a": "}{"}}',
            ' {"mcpServers": {"a": "}{", "aicx": {"command": "/opt/aicx", "args": ["serve"]}}}',
        ),
    ],
)
def test_a_new_member_is_laid_out_as_its_neighbours_are(text: str, longer: str) -> None:
    assert add(text).startswith(longer)


def test_of_two_objects_of_one_name_the_one_that_counts_is_changed() -> None:
    text = add('{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}')
    assert parse(text)["mcpServers"] == {"b": 2, "aicx": ENTRY}


def test_a_member_that_stands_there_twice_is_dropped_twice() -> None:
    assert parse(drop('{"s": {"aicx": 1, "x": 2, "aicx": 3}}', "s", "aicx")) == {"s": {"x": 2}}


@pytest.mark.parametrize("text", ["{", '{"a": 1,}', '{"a" 1}', "{'a': 1}", '{"a": 1} x', "/* {}", '{"a": "\n"}'])
def test_what_is_no_json_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|char"):
        parse(text)
