"""`aicx continuity status`: what notes there are, without their text."""

from __future__ import annotations

from dataclasses import replace

from aicx import console, options
from aicx.agents.records import has_continuity, of_repository
from aicx.api.answers.continuity import STATUS_SCHEMA
from aicx.commands.continuity.common import print_audit, warn_of_broken
from aicx.commands.desk import open_desk
from aicx.continuity.answering import status_of
from aicx.continuity.reading import read_layers


def command(repo: options.Repo = None, json: options.Json = False) -> None:
    """Show which notes there are, what is wanted and next, and how they came about. Nothing is written.

    Example: aicx continuity status
    """
    desk = open_desk(repo)
    layers = read_layers(desk.settings, desk.place)
    known = of_repository(desk.settings.layout, desk.place.repository)
    found = replace(status_of(desk.settings, desk.place, layers, desk.now), automatic=has_continuity(known))
    if json:
        console.out_answer(STATUS_SCHEMA, found)
        return
    for layer, path in found.paths.items():
        console.out(f"{layer}: {path}")
    console.out("Saved and shown by itself: " + ("yes" if found.automatic else "no (aicx init --continuity)"))
    if found.resumeContext.goal:
        console.out(f"Goal: {found.resumeContext.goal}")
    for step in found.resumeContext.nextSteps:
        console.out(f"Next: {step}")
    warn_of_broken(layers)
    print_audit(found)
    if not layers.paths:
        console.notify("There is no note here yet. Make one from the latest session: aicx continuity save")
