"""`aicx continuity open`: the notes in an editor."""

from __future__ import annotations

import sys

import click

from aicx import console, options
from aicx.api.answers.continuity import OPEN_SCHEMA, ContinuityPaths
from aicx.commands.continuity.common import ScopeOption, scope_from, warn_of_broken
from aicx.commands.desk import open_desk
from aicx.continuity.note import layers_of
from aicx.continuity.reading import read_layers
from aicx.errors import NotFound


def command(scope: ScopeOption = "both", repo: options.Repo = None, json: options.Json = False) -> None:
    """Open the notes in your editor: VISUAL, else EDITOR. Without a terminal, and with --json, their paths are printed.

    Example: aicx continuity open --scope local
    """
    desk = open_desk(repo)
    wanted = layers_of(scope_from(scope))
    found = read_layers(desk.settings, desk.place)
    paths: dict[str, str] = {layer: str(found.paths[layer]) for layer in wanted if layer in found.paths}
    if not paths:
        raise NotFound("there is no note here yet", hint="aicx continuity save")
    if json:
        console.out_answer(OPEN_SCHEMA, ContinuityPaths(paths))
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for path in paths.values():
            console.out(path)
        return
    click.edit(filename=list(paths.values()))
    warn_of_broken(read_layers(desk.settings, desk.place))
