"""One member of a JSON text changes; every other value stays, in its order."""

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
@pytest.mark.slow
def test_putting_and_dropping_leaves_every_value_in_its_order(rest: Any, servers: Any, indent: Any) -> None:
    servers.pop("aicx", None)
    text = json.dumps(rest | {"mcpServers": servers}, indent=indent)
    left = drop(add(text), "mcpServers", "aicx")
    assert json.dumps(parse(left)) == json.dumps(parse(text))
    if indent is None or rest or servers:
        assert left == json.dumps(parse(text), indent=indent, ensure_ascii=False)


def test_a_text_with_comments_is_read_and_never_written() -> None:
    text = '{"a": "http://x//y", /* b */ "c": 1 // d\n}'
    assert parse(text) == {"a": "http://x//y", "c": 1}
    with pytest.raises(ValueError, match="line 1"):
        add(text)


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
            '{"a": 1, "mcpServers": {"x": {}, "aicx": {"command": "/opt/aicx", "args": ["serve"]}}}',
        ),
        ('{"mcpServers":{}}', '{"mcpServers": {"aicx": {"command": "/opt/aicx", "args": ["serve"]}}}'),
        ("{}", '{\n  "mcpServers": {\n    "aicx": {\n      "command": "/opt/aicx",'),
        (
            '{\r\n  "a": 1\r\n}\r\n',
            '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "aicx": {\r\n      "command": "/opt/aicx",',
        ),
    ],
)
def test_the_text_is_laid_out_as_it_was(text: str, longer: str) -> None:
    assert add(text).startswith(longer)


def test_of_two_objects_of_one_name_the_one_that_counts_is_changed() -> None:
    text = add('{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}')
    assert parse(text)["mcpServers"] == {"b": 2, "aicx": ENTRY}


@pytest.mark.parametrize("text", ["{", '{"a": 1,}', '{"a" 1}', "{'a': 1}", '{"a": 1} x', "/* {}", '{"a": "\n"}'])
def test_what_is_no_json_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|char"):
        parse(text)
