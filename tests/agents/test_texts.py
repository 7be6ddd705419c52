"""Blocks and hooks in the texts of files: what is put in can be taken out by itself, whatever is around it."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from aicx.errors import CorpusDamaged
from aicx.managed import blocks, jsonc
from aicx.managed.blocks import Insertion, put_in, taken_out
from aicx.managed.settings_text import JSON, TOML, WantedHooks

HOOK = {"type": "command", "command": "/opt/aicx hook stop --agent claude || true", "timeout": 3}
WANTED = WantedHooks({"SessionStart": {**HOOK, "command": "/opt/aicx hook session-start --agent claude"}, "Stop": HOOK})
NOTIFYING = WantedHooks(WANTED.hooks, ("/opt/aicx", "hook", "notify", "--agent", "codex"))
OTHER = {"hooks": [{"type": "command", "command": "make format"}]}

LINES = some.text(some.sampled_from("ab `#-<>!é\t"), max_size=12)
ENDS = some.sampled_from(["\n", "\r\n"])


@some.composite
def texts(draw: Any) -> str:
    """Texts with one kind of line end, with and without a byte order mark and a final line end."""
    end = draw(ENDS)
    body = end.join(draw(some.lists(LINES, max_size=5)))
    return draw(some.sampled_from(["", "\ufeff"])) + body + draw(some.sampled_from(["", end]))


@some.composite
def objects(draw: Any) -> str:
    """Settings as people write them: with comments, trailing commas, any layout, and hooks of others."""
    blank = some.sampled_from(["", " ", "\n", "\r\n  ", "\t", " /* a, ] } */ ", " // { x,\n", "\n  // y\n  "])
    scalars = some.sampled_from(["1", '"a // b"', "true", "null", '"ä\\u00e4"', "[ ]", "{}", '["x" , 2]'])

    def gap() -> str:
        found: str = draw(blank)
        return found

    def joined(parts: list[str], opening: str, closing: str) -> str:
        trailing = "," if parts and draw(some.booleans()) else ""
        return f"{opening}{gap()}{f'{gap()},{gap()}'.join(parts)}{gap()}{trailing}{gap()}{closing}"

    def member(key: str, value: str) -> str:
        return f'"{key}"{gap()}:{gap()}{value}'

    members = [
        member(key, draw(scalars)) for key in draw(some.lists(some.sampled_from("abc"), unique=True, max_size=2))
    ]
    if draw(some.booleans()):
        handler = joined([member("command", '"make, [format]"'), member("type", '"command"')], "{", "}")
        group = joined([member("hooks", joined([handler], "[", "]"))], "{", "}")
        events = draw(some.lists(some.sampled_from(["Stop", "AfterTool"]), unique=True, max_size=2))
        groups = [joined([group] * draw(some.integers(0, 2)), "[", "]") for _ in events]
        members.insert(draw(some.integers(0, len(members))), member("hooks", joined([
            member(event, one) for event, one in zip(events, groups, strict=True)
        ], "{", "}")))  # fmt: skip
    return gap() + joined(members, "{", "}") + gap()


def without_empty(value: Any) -> Any:
    """Settings without hooks of no event."""
    hooks = {event: groups for event, groups in value.get("hooks", {}).items() if groups}
    return {name: one for name, one in value.items() if name != "hooks"} | ({"hooks": hooks} if hooks else {})


@given(texts())
def test_a_block_alone_says_how_the_text_was_without_it(text: str) -> None:
    made = blocks.insertion(text, "one\ntwo")
    changed = put_in(text, [made])
    assert blocks.without(changed) == text
    assert taken_out(changed, [made]) == text
    assert "one" in changed.splitlines()


def test_a_block_ends_its_lines_as_the_file_does() -> None:
    text = "# Mine\r\n"
    assert put_in(text, [blocks.insertion(text, "one")]) == (
        "# Mine\r\n\r\n<!-- aicx:start -->\r\none\r\n<!-- aicx:end -->\r\n"
    )


def test_text_behind_a_block_stays() -> None:
    changed = put_in("a\n", [blocks.insertion("a\n", "one")]) + "b\n"
    assert blocks.without(changed) == "a\nb\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n<!-- aicx:start -->\nb\n", 2),
        ("a\n\nb\n<!-- aicx:end -->\n", 4),
        ("<!-- aicx:end -->\n<!-- aicx:start -->\n", 1),
        ("x\n" + "<!-- aicx:start -->\n<!-- aicx:end -->\n" * 2, 2),
    ],
)
def test_a_block_that_is_not_whole_is_refused_with_its_line(text: str, line: int) -> None:
    for call in (blocks.find, blocks.without):
        with pytest.raises(CorpusDamaged, match=f"line {line}:"):
            call(text)


@given(objects())
def test_hooks_are_added_to_any_settings_and_change_nothing_else(text: str) -> None:
    before = jsonc.parse(text).value
    made = JSON.put(text, WANTED)
    changed = put_in(text, made)
    after = jsonc.parse(changed).value
    assert JSON.is_current(changed, WANTED)
    for event, handler in WANTED.hooks.items():
        assert after["hooks"][event].pop() == {"hooks": [handler]}
    assert without_empty(after) == without_empty(before)
    assert taken_out(changed, made) == text


@given(objects())
def test_hooks_are_taken_out_without_a_record_and_comments_stay(text: str) -> None:
    changed = put_in(text, JSON.put(text, WANTED))
    found = JSON.drop(changed)
    assert without_empty(jsonc.parse(found).value) == without_empty(jsonc.parse(text).value)
    for comment in ("/* a, ] } */", "// { x,", "// y"):
        assert found.count(comment) == text.count(comment)


@given(objects(), some.sampled_from([None, 2, 4]))
def test_hooks_are_taken_out_of_settings_that_a_client_wrote_again(text: str, indent: int | None) -> None:
    changed = jsonc.parse(put_in(text, JSON.put(text, WANTED))).value
    changed["permissions"] = {"allow": ["Bash(ls)"]}
    found = jsonc.parse(JSON.drop(json.dumps(changed, indent=indent))).value
    assert found.pop("permissions") == {"allow": ["Bash(ls)"]}
    assert without_empty(found) == without_empty(jsonc.parse(text).value)


def test_a_hook_of_others_in_the_same_group_stays() -> None:
    group = {"matcher": "*", "hooks": [OTHER["hooks"][0], HOOK]}
    text = json.dumps({"hooks": {"Stop": [group]}}, indent=2)
    assert json.loads(JSON.drop(text)) == {"hooks": {"Stop": [{"matcher": "*", **OTHER}]}}


def test_settings_keep_their_indentation() -> None:
    text = '{\n\t"theme": "dark"\n}\n'
    changed = put_in(text, JSON.put(text, WantedHooks({"Stop": HOOK})))
    assert changed.startswith('{\n\t"theme": "dark",\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{\n\t\t\t\t"hooks": [\n')
    assert json.loads(changed) == {"theme": "dark", "hooks": {"Stop": [{"hooks": [HOOK]}]}}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{\n"a": tru\n}', 2),
        ('{"a": "b\n"}', 1),
        ("[]", 1),
        ('{"hooks": []}', 1),
        ('{"hooks":\n{"Stop": {}}}', 2),
        ('{"a": 1} x', 1),
        ("{\n/* never ended", 2),
        ("{", 1),
    ],
)
def test_settings_that_are_not_understood_are_refused_with_their_line(text: str, line: int) -> None:
    with pytest.raises(CorpusDamaged, match=f"line {line}:"):
        JSON.put(text, WANTED)


def test_settings_that_are_nested_too_deeply_are_refused() -> None:
    with pytest.raises(CorpusDamaged, match="deeply"):
        JSON.put('{"a": ' + "[" * 200_000, WANTED)


TOMLS = {
    "nothing": "",
    "comments": "# mine\nmodel = 'x' # fast\n\n[mcp_servers.other]\ncommand = \"npx\"\n# the end",
    "Windows": '\ufeffmodel = "x"\r\n[a]\r\nb = 1\r\n',
    "hooks": '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n\n[a]\nb = 1\n',
}


@pytest.mark.parametrize("name", TOMLS)
def test_codex_is_notified_and_its_settings_stay(name: str) -> None:
    text = TOMLS[name]
    made = TOML.put(text, NOTIFYING)
    changed = put_in(text, made)
    found, before = (tomllib.loads(one.removeprefix("\ufeff").replace("\r\n", "\n")) for one in (changed, text))
    assert found.pop("notify") == list(NOTIFYING.notify)
    for event, handler in WANTED.hooks.items():
        assert found["hooks"][event].pop() == {"hooks": [handler]}
    assert without_empty(found) == without_empty(before)
    assert TOML.is_current(changed, NOTIFYING)
    assert TOML.drop(changed) == text == taken_out(changed, made)


def test_what_codex_writes_between_our_lines_and_behind_them_stays() -> None:
    """As Codex 0.169.0 does it: what a person agreed to follows the hooks, and a new key the other keys."""
    text = "# mine\n[mcp_servers.other]\ncommand = 'x'\n"
    changed = put_in(text, TOML.put(text, NOTIFYING))
    state = '\n[hooks.state]\n\n[hooks.state."/c.toml:stop:0:0"]\ntrusted_hash = "sha256:ba18"\n'
    notify, _, hooks = changed.partition(text)
    codex = f'{notify}model = "gpt"\n{text}{hooks}{state}'
    assert TOML.is_current(codex, NOTIFYING)
    for found in (TOML.drop(codex), taken_out(codex, TOML.put(text, NOTIFYING))):
        assert found is not None
        assert tomllib.loads(found) == tomllib.loads(f'model = "gpt"\n{text}{state}')
        assert "# mine" in found
    again = put_in(TOML.drop(codex), TOML.put(TOML.drop(codex), NOTIFYING))
    assert tomllib.loads(again) == tomllib.loads(codex)


def test_hooks_of_an_earlier_release_are_taken_out_with_the_line_above_them() -> None:
    text = "# mine\nmodel = 'x'\n"
    changed = put_in(text, TOML.put(text, NOTIFYING))
    earlier = changed.replace("`aicx init --undo` removes", "`aicx clean` removes")
    assert earlier != changed
    assert TOML.is_current(earlier, NOTIFYING)
    assert TOML.drop(earlier) == text


def test_hooks_that_somebody_wrote_in_another_way_are_refused() -> None:
    text = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'aicx hook stop --agent codex'\n"
    with pytest.raises(CorpusDamaged, match="another way"):
        TOML.drop(text)


def test_a_program_that_codex_notifies_already_stays() -> None:
    text = 'notify = ["say"]\n'
    changed = put_in(text, TOML.put(text, NOTIFYING))
    assert tomllib.loads(changed)["notify"] == ["say"]
    assert TOML.is_current(changed, NOTIFYING)
    assert TOML.drop(changed) == text


def test_hooks_of_another_tool_that_look_alike_stay() -> None:
    other = {"type": "command", "command": "/opt/other hook stop --agent claude"}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [other]}]}}, indent=2)
    assert JSON.drop(text) == text
    notify = 'notify = ["other", "hook", "notify", "--agent", "codex"]\n'
    assert TOML.drop(notify) == notify


@pytest.mark.parametrize(
    "text", ["hooks = {}\n", "hooks.Stop = []\n", "hooks = 5\n", "hooks.Stop = ['x']\n", "model = \n"]
)
def test_toml_that_nothing_can_be_added_to_is_refused(text: str) -> None:
    with pytest.raises(CorpusDamaged):
        TOML.put(text, NOTIFYING)


@pytest.mark.parametrize("text", ["hooks = 5\n", "hooks.Stop = ['x']\n", "hooks.Stop = [{ hooks = ['x'] }]\n"])
def test_hooks_of_another_form_are_not_ours(text: str) -> None:
    assert not TOML.is_current(text, NOTIFYING)
    assert TOML.drop(text) == text


def test_an_insertion_is_found_where_it_moved_to() -> None:
    made = [Insertion(1, "x, "), Insertion(4, "y, ")]
    assert put_in("abc", made) == "ax, y, bc"
    assert taken_out("zz ax, y, bc", made) == "zz abc"
    assert taken_out("ax, bc", made) is None
