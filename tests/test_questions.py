"""A plain command line is read without typer, and as typer reads it."""

from __future__ import annotations

from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx import console, menu
from aicx.cli import plain_call, run
from aicx.text import Zone
from tests.test_project import modules_after
from tests.tree import commands

_VALUES = (
    "",
    "5",
    "0",
    "007",
    "1.5",
    ".5",
    "-1",
    "1_000",
    "٣",
    " 5",
    "99999999999999999",
    "newest",
    "lexical",
    "chunk",
    "é",
    "-",
)


def shape(one: click.Parameter) -> object:
    """What decides how the values of a parameter are read."""
    ends = getattr(one.type, "min", None), getattr(one.type, "max", None)
    flag = getattr(one, "is_flag", False), len(one.secondary_opts), one.envvar is None
    return type(one), type(one.type), ends, one.multiple, one.nargs, one.required, flag


def needed(name: str) -> list[str]:
    """The arguments and options without which a command is refused."""
    missing = [one for one in commands()[name].params if one.required]
    return [word for one in missing for word in ([] if isinstance(one, click.Argument) else one.opts[:1]) + ["5"]]


# A parameter of each shape, with a command that has it.
SHAPES = {shape(one): (name, one) for name, command in commands().items() for one in command.params if not one.is_eager}


def written(one: click.Parameter, value: str) -> list[list[str]]:
    """The ways to say ``value`` for a parameter."""
    if isinstance(one, click.Argument):
        return [[value]]
    names = [*one.opts, *one.secondary_opts]
    flags = [[name] for name in names if getattr(one, "is_flag", False)]
    return [*flags, *([name, value] for name in names), *([f"{name}={value}"] for name in names)]


def as_typer_reads(words: list[str], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The values that a command is called with."""
    with monkeypatch.context() as patched:
        patched.setattr(menu, "call", lambda command, values: values)
        values = menu.tree()(args=words, prog_name="aicx", standalone_mode=False)
    assert isinstance(values, dict)
    return values


@pytest.mark.parametrize(("name", "one"), SHAPES.values(), ids=lambda given: getattr(given, "name", given))
def test_each_kind_of_value_is_read_as_typer_reads_it(name: str, one: click.Parameter) -> None:
    for value in (*getattr(one.type, "choices", ())[:2], *_VALUES):
        for words in written(one, value):
            is_read_as_typer_reads_it([*name.split(), *words])
            is_read_as_typer_reads_it([*name.split(), *needed(name), *words, *words])


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command with some of its parameters."""
    name, _ = draw(st.sampled_from([*SHAPES.values()]))
    parameters = st.sampled_from([one for one in commands()[name].params if not one.is_eager])
    said = [draw(st.sampled_from(written(one, draw(st.sampled_from(_VALUES))))) for one in draw(st.lists(parameters))]
    return [*name.split(), *(word for words in [needed(name), *said] for word in words)]


@given(words=lines())
def test_a_plain_line_is_read_as_typer_reads_it(words: list[str]) -> None:
    is_read_as_typer_reads_it(words)


def is_read_as_typer_reads_it(words: list[str]) -> None:
    plain = plain_call(words)
    said = (Zone.utc, console.Style.exact, console.Style.color)
    if plain is not None:
        _, values = plain[1].args  # type: ignore[attr-defined]
        with pytest.MonkeyPatch.context() as patched:
            assert as_typer_reads(words, patched) == values
        assert (Zone.utc, console.Style.exact, console.Style.color) == said


@pytest.mark.parametrize(
    "line",
    [
        "search why",
        "search -m lexical two words -n 5 --json",
        "search why --in chunks",
        "steer -p one --project two --since=2d --utc -v",
        "resume --task words --json",
        "show mem:12",
        "memory recall why",
        "task list --json",
        "hook session-start --agent claude",
    ],
)
def test_lines_that_agents_write_are_plain(line: str) -> None:
    assert (plain_call(line.split()) is None) == ("--in" in line)


@pytest.mark.parametrize(
    "line", ["", "searhc why", "memory", "search", "search --mode words", "search -5", "search --list"]
)
def test_what_is_wrong_or_asks_for_something_else_is_left_to_typer(line: str) -> None:
    assert plain_call(line.split()) is None


def test_bytes_that_are_no_text_are_left_to_typer() -> None:
    assert plain_call(["search", "\udce9"]) is None


@pytest.mark.process
@pytest.mark.parametrize("line", ["search lost", "steer", "steer --json", "resume --task lost", "show mem:12"])
def test_a_plain_line_loads_no_typer(line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("AICX_HOME", str(tmp_path))
    loaded = modules_after(f"from aicx.cli import run\nrun({line.split()})")
    assert not loaded & {"typer", "click"}


def test_the_end_of_input_ends_a_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*_: object, **__: object) -> None:
        raise EOFError

    monkeypatch.setattr("aicx.commands.steer.list_chunks", asked)
    assert run(["steer"]) == 130
    assert capsys.readouterr().err == "\nstopped; nothing was changed\n"


def test_ctrl_c_ends_a_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("aicx.commands.steer.list_chunks", asked)
    assert run(["steer"]) == 130
    assert capsys.readouterr().err == "interrupted; everything stored so far is whole\n"
