"""`aicx projects reset`: drops what was decided about a folder."""

from __future__ import annotations

from aicx import options
from aicx.commands.projects.deciding import Folder, absolute, apply
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.places.decisions import Decisions
from aicx.errors import NotFound


def command(folder: Folder, json: options.Json = False) -> None:
    """Drop what `assign` or `ignore` decided about a folder: what aicx learned counts again.

    Example: aicx projects reset ~/work/site
    """
    place = absolute(folder)

    def change(before: Decisions, _: Catalog) -> Decisions:
        if place not in before.assigned and place not in before.ignored:
            decided = sorted({*before.assigned, *before.ignored})
            raise NotFound(f"nothing was decided about {place}", hint=f"decided: {', '.join(decided) or 'no folder'}")
        return before.reset(place)

    apply(change, f"{place} is learned again", json=json)
