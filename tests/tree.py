"""The commands of the command line, and their options, as the command line itself has them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import typer
from click import Command, Context
from typer.core import TyperGroup

from aicx.menu import app


@cache
def _root() -> Command:
    return typer.main.get_command(app)


@cache
def commands() -> dict[str, Command]:
    """Every command by its words, such as `memory get`."""
    return dict(_below(_root(), "", Context(_root(), info_name="aicx")))


def options_of(name: str) -> set[str]:
    return options_in(commands()[name])


def options_in(command: Command) -> set[str]:
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def _below(command: Command, path: str, context: Context) -> Iterator[tuple[str, Command]]:
    if not isinstance(command, TyperGroup):
        yield path.strip(), command
        return
    for name in command.list_commands(context):
        one = command.get_command(context, name)
        assert one is not None
        yield from _below(one, f"{path} {name}", Context(one, info_name=name, parent=context))


def meant(*words: str) -> tuple[str, Command, list[str]]:
    """The name, the command and the arguments that these words lead to, also where options ask for something else."""
    found, context, args, path = _root(), None, list(words), []
    while isinstance(found, TyperGroup):
        context = Context(found, info_name=found.name or "aicx", parent=context)
        found.parse_args(context, args)
        name, below, args = found.resolve_command(context, [*context._protected_args, *context.args])
        assert name is not None
        assert below is not None
        found, path = below, [*path, name]
    return " ".join(path), found, args
