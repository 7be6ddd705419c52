"""One member of a JSON text changes; every other value stays, in its order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.managed.jsonc import assigned, dropped, loaded

ENTRY = {"command": "/opt/aicx", "args": ["serve"]}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
LAYOUTS = st.sampled_from([None, 2, 4, "\t"])


def add(text: str) -> str:
    return assigned(text, ["mcpServers", "aicx"], ENTRY)


@given(st.dictionaries(st.text(), VALUES), st.none() | st.dictionaries(st.text(), VALUES), LAYOUTS)
def test_what_is_put_there_is_all_that_changes(rest: Any, servers: Any, indent: Any) -> None:
    whole = rest | ({} if servers is None else {"mcpServers": servers})
    if servers is None:
        whole.pop("mcpServers", None)
    found = loaded(add(json.dumps(whole, indent=indent)))
    assert found == whole | {"mcpServers": whole.get("mcpServers", {}) | {"aicx": ENTRY}}


@given(st.dictionaries(st.text(), VALUES), st.dictionaries(st.text(), VALUES), LAYOUTS)
@pytest.mark.slow
def test_putting_and_dropping_gives_back_the_text(rest: Any, servers: Any, indent: Any) -> None:
    servers.pop("aicx", None)
    text = json.dumps(rest | {"mcpServers": servers}, indent=indent)
    left = dropped(add(text), ["mcpServers", "aicx"])
    assert left == text


def test_an_entry_that_changes_keeps_its_comments_and_layout() -> None:
    text = '{"mcpServers": {\n  "aicx": {"command": /* mine */ "/old/aicx",\n "args": [\n "serve" ], "timeout": 5 }}}'
    assert add(text) == text.replace("/old/aicx", "/opt/aicx")


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
    ],
)
def test_the_text_is_laid_out_as_it_was(text: str, longer: str) -> None:
    assert add(text).startswith(longer)


def test_of_two_objects_of_one_name_the_one_that_counts_is_changed() -> None:
    text = add('{"mcpServers": {"a": 1}, "mcpServers": {"b": 2}}')
    assert loaded(text)["mcpServers"] == {"b": 2, "aicx": ENTRY}


@pytest.mark.parametrize("text", ["{", '{"a" 1}', "{'a': 1}", '{"a": 1} x', "/* {}", '{"a": "\n"}'])
def test_what_is_no_json_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|char"):
        loaded(text)
