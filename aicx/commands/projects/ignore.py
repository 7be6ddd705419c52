"""`aicx projects ignore`: says that a folder belongs to no repository."""

from __future__ import annotations

from aicx import options
from aicx.commands.projects.deciding import Folder, absolute, apply


def command(folder: Folder, json: options.Json = False) -> None:
    """Say that a folder, and every folder below it, belongs to no repository.

    Its sessions stay stored and can be found; only their repository goes. Stored sessions move at once.

    Example: aicx projects ignore /tmp/scratch
    """
    place = absolute(folder)
    apply(lambda before, _: before.ignore(place), f"{place} belongs to no repository", json=json, folder=place)
