"""Tool calls as text, and what they say of themselves."""

from __future__ import annotations

from typing import Any

import pytest

from aicx.sources.tools import describe_call, patch_files

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.md\n*** Move to: c.md\n*** End Patch"


def text_of(name: str, arguments: Any) -> str:
    return describe_call(name, arguments)[0]


def files_of(name: str, arguments: Any) -> tuple[str, ...]:
    return describe_call(name, arguments)[1].files


def command_of(name: str, arguments: Any) -> str | None:
    return describe_call(name, arguments)[1].command


def test_command_is_shown_after_a_prompt_sign():
    text = text_of("Bash", {"command": "ls -l", "description": "List"})
    assert text == "Bash\n$ ls -l\ndescription: List"


def test_command_is_noted():
    assert command_of("Bash", {"command": "ls -l"}) == "ls -l"


@pytest.mark.parametrize("wrapped", [["bash", "-lc", "a && b"], ["sh", "-c", "a && b"]])
def test_script_is_taken_out_of_its_shell(wrapped):
    assert command_of("shell", {"command": wrapped}) == "a && b"


def test_word_list_is_quoted_as_a_command_line():
    assert command_of("shell", {"command": ["grep", "two words"]}) == "grep 'two words'"


def test_second_command_like_argument_stays_in_the_text():
    assert text_of("run", {"command": "make", "script": "build.js"}) == "run\n$ make\nscript: build.js"


def test_operation_of_a_file_tool_is_no_command():
    text, use = describe_call("editor", {"command": "str_replace", "path": "/a"})
    assert use.command is None
    assert text == "editor /a\ncommand: str_replace"


@pytest.mark.parametrize("command", ["", "  ", None, 5, {"a": 1}, ["ls", 1]])
def test_command_of_another_type_is_no_command(command):
    assert command_of("Bash", {"command": command}) is None


def test_file_is_named_beside_the_tool():
    assert text_of("Read", {"file_path": "/a.py", "limit": 5}) == "Read /a.py\nlimit: 5"


def test_every_file_argument_is_noted():
    assert files_of("copy", {"path": "/a", "paths": ["/b", "/a", ""], "filename": 3}) == ("/a", "/b")


def test_long_arguments_come_last():
    text = text_of("Write", {"content": "one\ntwo", "file_path": "/a", "mode": 1})
    assert text == "Write /a\nmode: 1\ncontent:\none\ntwo"


def test_line_breaks_inside_nested_arguments_are_not_escaped():
    text = text_of("MultiEdit", {"edits": [{"old_string": "a\nb", "new_string": "c"}]})
    assert text == "MultiEdit\nedits[0].old_string:\na\nb\nedits[0].new_string: c"


def test_short_nested_arguments_stay_compact():
    assert text_of("Todo", {"todos": [{"content": "x"}], "done": None}) == 'Todo\ntodos: [{"content":"x"}]\ndone: null'


def test_arguments_too_deep_to_write_are_no_error():
    deep: Any = {}
    for _ in range(400):
        deep = {"a": deep}
    assert text_of("x", {"b": deep}) == 'x\nb: "[nested too deep]"'


def test_free_text_is_kept_as_it_is():
    text, use = describe_call("apply_patch", PATCH, "c1")
    assert text == f"apply_patch\n{PATCH}"
    assert use.call_id == "c1"


def test_call_without_arguments_is_its_name():
    assert text_of("ExitPlanMode", None) == text_of("ExitPlanMode", {}) == "ExitPlanMode"


def test_list_as_arguments_is_shown():
    assert text_of("x", [1, 2]) == "x\n[1,2]"


def test_patch_names_its_files():
    assert patch_files(PATCH) == ("src/a.py", "b.md", "c.md")


@pytest.mark.parametrize("arguments", [PATCH, {"input": PATCH}, {"command": ["apply_patch", PATCH]}])
def test_files_of_a_patch_are_noted(arguments):
    assert "src/a.py" in files_of("apply_patch", arguments)


def test_patch_quoted_in_a_document_names_no_file():
    assert files_of("Write", {"file_path": "/doc.md", "content": PATCH}) == ("/doc.md",)


def test_nothing_of_the_arguments_is_lost():
    arguments = {"command": "c1", "cmd": "c2", "path": "p1", "file_path": "p2", "content": "k\nl", "n": {"m": "o"}}
    text = text_of("t", arguments)
    assert all(word in text for word in ("c1", "c2", "p1", "p2", "k\nl", "o"))


def test_arguments_are_not_changed():
    arguments = {"command": "ls", "content": "x"}
    describe_call("t", arguments)
    assert arguments == {"command": "ls", "content": "x"}
