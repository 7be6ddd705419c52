"""The options that name files outside the repository, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from aicx import options
from aicx.errors import UsageError
from aicx.paths import user_path

if TYPE_CHECKING:
    from aicx.memory.sources_files import Named

Outside = Annotated[bool, typer.Option("--global", help="Also what --path names outside the repository.")]
Paths = Annotated[
    list[str] | None,
    typer.Option(
        *("--path", "-f"),
        metavar="FILE",
        click_type=options.PATH,
        help="A file or folder outside the repository, such as an agent's memory folder; needs --global.",
    ),
]
Owner = Annotated[str | None, typer.Option("--source", metavar="NAME", help="Whose the files named with --path are.")]


def named_outside(outside: bool, paths: list[str] | None, owner: str | None) -> tuple[Named, ...]:
    """The places that the options name. Raises UsageError where one of them needs another."""
    if paths and not outside:
        raise UsageError("--path leads outside the repository, which needs --global", hint="add --global")
    if owner and not paths:
        raise UsageError("--source says whose the files of --path are", hint="add --global --path FILE")
    if not paths:
        return ()
    from aicx.memory.sources_files import Named

    return tuple(Named(user_path(one), owner) for one in paths)
