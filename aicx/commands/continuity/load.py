"""`aicx continuity load`: both notes."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.continuity import LOAD_SCHEMA
from aicx.commands.continuity.common import print_audit, warn_of_broken
from aicx.commands.desk import open_desk
from aicx.continuity.answering import load_of
from aicx.continuity.markdown import render
from aicx.continuity.note import LAYERS
from aicx.continuity.reading import read_layers


def command(repo: options.Repo = None, json: options.Json = False) -> None:
    """Show the notes of the project and of this worktree, and how they came about. Nothing is written.

    Example: aicx continuity load
    Example: aicx continuity load --json
    """
    desk = open_desk(repo)
    layers = read_layers(desk.settings, desk.place)
    found = load_of(desk.settings, desk.place, layers, desk.now)
    if json:
        console.out_answer(LOAD_SCHEMA, found)
        return
    notes = {"project": layers.project, "local": layers.local}
    for layer in LAYERS:
        if (note := notes[layer]) is not None:
            console.out(render(note, layer))
    warn_of_broken(layers)
    print_audit(found)
    if not layers.paths:
        console.notify("There is no note here yet. Make one from the latest session: aicx continuity save")
