"""The commands of the command line, and their options, as the command line itself has them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import typer
from click import Command, Context
from typer.core import TyperGroup

from aicx.cli import app


@cache
def commands() -> dict[str, Command]:
    """Every command by its words, such as `memory get`."""
    root = typer.main.get_command(app)
    return dict(_below(root, "", Context(root, info_name="aicx")))


def options_of(name: str) -> set[str]:
    return {option for parameter in commands()[name].params for option in parameter.opts}


def _below(command: Command, path: str, context: Context) -> Iterator[tuple[str, Command]]:
    if not isinstance(command, TyperGroup):
        yield path.strip(), command
        return
    for name in command.list_commands(context):
        one = command.get_command(context, name)
        assert one is not None
        yield from _below(one, f"{path} {name}", Context(one, info_name=name, parent=context))
