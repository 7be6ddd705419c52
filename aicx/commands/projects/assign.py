"""`aicx projects assign`: says which repository a folder belongs to."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import options
from aicx.commands.projects.deciding import Folder, absolute, apply
from aicx.corpus.places.decisions import parse_project


def command(
    folder: Folder,
    repository: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="The repository it belongs to.")],
    json: options.Json = False,
) -> None:
    """Say which repository a folder, and every folder below it, belongs to.

    It wins over everything aicx learned and over git itself. Stored sessions move at once; their ids stay.

    Example: aicx projects assign . octo/website
    """
    place, project = absolute(folder), parse_project(repository)
    apply(lambda before, _: before.assign(place, project), f"{place} belongs to {project}", json=json, folder=place)
