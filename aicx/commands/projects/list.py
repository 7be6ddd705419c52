"""`aicx projects list`: folders with their repositories and the reasons."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.report import SCHEMA, ProjectsAnswer, WorkFolder, list_places
from aicx.paths import NON_REPOSITORY


def command(
    unknown: Annotated[bool, typer.Option("--unknown", help="Only the folders that belong to no repository.")] = False,
) -> options.Answered:
    """List the folders of stored sessions by repository, with the reason.

    Example: aicx projects --unknown
    Example: aicx projects
    """
    with open_catalog(load_settings().layout) as opened:
        notes = [*([opened.fallback_reason] if opened.fallback_reason else []), *opened.notes]
        places = list_places(opened.catalog)
    found = ProjectsAnswer([place for place in places if place.repository is None or not unknown], notes)
    yield SCHEMA, found
    for repository, items in groupby(sorted(found.projects, key=_order), key=lambda item: item.repository):
        _print(repository, list(items))
    console.notify_notes(notes)
    if not found.projects:
        console.notify("Every folder has a repository." if unknown else "No session names a folder yet.")
    elif any(item.repository is None for item in found.projects):
        console.notify("Decide by hand: aicx projects assign FOLDER OWNER/REPO, or aicx projects ignore FOLDER")


def _order(item: WorkFolder) -> tuple[bool, str, int, str]:
    return item.repository is None, item.repository or "", -item.sessions, item.folder


def _print(repository: str | None, items: list[WorkFolder]) -> None:
    console.out(console.style(repository or "no repository", bold=True))
    for item in items:
        folder = console.place(NON_REPOSITORY, item.folder)
        console.out(f"  {console.style(folder, fg='cyan')}  {console.plural(item.sessions, 'session')}")
        console.out(f"    {item.reason}")
