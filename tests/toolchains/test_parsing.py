"""Which family an output is given to, and whether its command failed."""

from __future__ import annotations

import time

import pytest

from aicx.toolchains.parsing import MAX_EVENTS, Parsed, parse

_MYPY = "a.py:1: error: Missing return statement  [return]\nFound 1 error in 1 file (checked 1 source file)\n"


@pytest.mark.parametrize(
    ("command", "exit_code", "failed"),
    [
        ("mypy .", 1, True),
        ("mypy .", 0, False),
        ("mypy . | tail -3", 0, True),
        ("mypy . || true", 0, True),
        ("make check", 2, True),
        ("", None, True),
    ],
)
def test_the_result_is_the_tools_own(command: str, exit_code: int | None, failed: bool) -> None:
    parsed = parse(_MYPY, command, exit_code)
    assert (parsed.family, parsed.failed, len(parsed.events)) == ("python_types", failed, int(failed))


@pytest.mark.parametrize("command", ["cat log.txt", "git show HEAD", "grep -n error log.txt | head", "tail -50 ci.log"])
def test_errors_in_what_is_shown_are_not_its_own(command: str) -> None:
    shown = _MYPY + 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: x\n'
    assert parse(shown, command, 0) == Parsed("none", False, ())


@pytest.mark.parametrize(
    "last",
    [
        "^C",
        'hint: "git config advice.addIgnoredFile false"',
        "[lint:go] ERROR task failed",
        "mise ERROR Run with --verbose or MISE_VERBOSE=1 for more information",
        "[test] $ go test ./...",
        "Run with RUST_BACKTRACE=full to include source snippets.",
    ],
)
def test_a_last_line_that_says_nothing_does_not_stand_for_the_error(last: str) -> None:
    parsed = parse(f"the port is taken\n{last}\n", "./start.sh", 1)
    assert [event.message for event in parsed.events] == ["the port is taken"]


def test_of_a_file_that_cannot_be_shown_only_that_is_an_error() -> None:
    parsed = parse(_MYPY + "cat: gone.txt: No such file or directory\n", "cat log.txt gone.txt", 1)
    assert (parsed.family, [event.file for event in parsed.events]) == ("generic", ["gone.txt"])


def test_an_event_names_its_tool_and_its_command() -> None:
    event = parse(_MYPY, "cd app && uv run mypy .", 1).events[0]
    assert (event.toolchain, event.command, event.exit_code) == ("mypy", "cd app && uv run mypy .", 1)


@pytest.mark.parametrize(
    ("output", "tool", "message"),
    [
        (
            "a.ts:3:5 lint/a11y/useSemanticElements \u2501\u2501\n\n  \u00d7 Change it to one of:\n  \n  <ul>\n",
            "biome",
            "Change it to one of: <ul>",
        ),
        (
            "a.go:12:5: it is not checked (errcheck)\n\tf.Close()\n\t^\n1 issues:\n",
            "golangci-lint",
            "it is not checked",
        ),
    ],
)
def test_what_a_script_runs_is_known_by_what_it_prints(output: str, tool: str, message: str) -> None:
    event = parse(output, "npm run check", 1).events[0]
    assert (event.toolchain, event.message) == (tool, message)


def test_tools_one_after_another_are_all_read() -> None:
    output = "b.py:2:1: F401 `os` imported but unused\nFound 1 error.\n" + _MYPY
    parsed = parse(output, "ruff check . ; mypy .", 1)
    assert [event.toolchain for event in parsed.events] == ["ruff", "mypy"]
    assert parsed.family == "python_lint"


def test_a_tool_that_is_not_installed_is_the_shells_error() -> None:
    parsed = parse("bash: line 1: pytest: command not found\n", "pytest -q", 127)
    assert (parsed.family, parsed.events[0].message) == ("generic", "pytest: command not found")


def test_the_folder_makes_full_names_relative() -> None:
    full = _MYPY.replace("a.py", "/home/ada/code/shop/a.py")
    here = parse(full, "mypy .", 1, folder="/home/ada/code/shop")
    assert here.events[0].fingerprint == parse(_MYPY, "mypy .", 1).events[0].fingerprint


def test_prefixes_of_containers_do_not_hide_errors() -> None:
    output = "".join(f"web-1  | {line}\n" for line in ("x", "y", *_MYPY.splitlines()))
    assert parse(output, "docker compose up", 1).events[0].file == "a.py"


def test_the_number_of_events_is_bounded() -> None:
    output = "".join(f"a.py:{line}: error: Wrong  [misc]\n" for line in range(MAX_EVENTS * 3))
    assert len(parse(output, "mypy .", 1).events) == MAX_EVENTS


def test_the_same_place_is_named_once() -> None:
    assert len(parse(_MYPY * 3, "mypy .", 1).events) == 1


_REPEATED = (
    "a",
    ":",
    " ",
    "\t",
    "(",
    "[",
    "{",
    "_",
    "=",
    "-",
    "'",
    "x.py:1:",
    "a: ",
    "at a(",
    "C:\\",
    " --> ",
    "E   ",
    "0f",
)
_COMMANDS = ("", "pytest", "mypy .", "ruff check", "npx tsc", "npx eslint .", "npx jest", "npm ci", "python3 x.py")


@pytest.mark.slow
@pytest.mark.parametrize("text", _REPEATED)
def test_time_grows_no_faster_than_the_output(text: str) -> None:
    """A pattern that tries every way of splitting one of these lines would take minutes, not a second."""
    output = (text * (3900 // len(text)) + "\n") * 4
    begin = time.process_time()
    for command in _COMMANDS:
        parse(output, command, 1)
    assert time.process_time() - begin < 2


def test_fifty_megabytes_are_read_in_bounded_time() -> None:
    output = (_MYPY + "working on the next file\n" * 40) * 45_000
    assert len(output) > 49_000_000
    begin = time.process_time()
    assert parse(output, "make check", 2).failed
    assert time.process_time() - begin < 20
