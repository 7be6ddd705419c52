"""`aicx status --projects`: the stored projects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from aicx import console, options
from aicx.commands.nothing import notify_nothing
from aicx.config import load_settings
from aicx.corpus.catalog.overview import SCHEMA, ProjectSummary, RefsAnswer, list_chunk_paths, list_projects
from aicx.errors import NotFound
from aicx.filters import EVERYTHING, Filters
from aicx.paths import NON_REPOSITORY
from aicx.text import local

_MAX_FOLDERS = 8


@options.filtered("project", "agent", "hours")
def command(
    filters: Filters = EVERYTHING,
    emit: Annotated[
        Literal["summary", "paths"], typer.Option("--emit", help="One line per project, or the path of every chunk.")
    ] = "summary",
    strict: Annotated[bool, typer.Option("--strict", help="Fail (exit 3) when nothing matches.")] = False,
    json: options.Json = False,
) -> None:
    """List the stored projects with their dates, agents and sizes, most recently active first.

    Example: aicx status --projects -H 48
    Example: aicx status --projects -p myrepo --emit paths
    """
    layout = load_settings().layout
    if emit == "paths" and not json:
        paths = list_chunk_paths(layout, filters)
        _require(paths, strict)
        for path in paths:
            console.out(str(layout.home / path))
        return
    found, notes = list_projects(layout, filters)
    _require(found, strict)
    if json:
        console.out_answer(SCHEMA, RefsAnswer(found, notes))
        return
    for item in found:
        _print(item)
    if found:
        console.say_zone()
    console.notify_notes(notes)


def _require(found: Sequence[object], strict: bool) -> None:
    if found:
        return
    if strict:
        raise NotFound("nothing stored matches", hint="aicx status --projects without filters lists what there is")
    notify_nothing("Nothing matches. `aicx status --projects` without filters lists what is stored.")


def _print(item: ProjectSummary) -> None:
    agents = ", ".join(f"{name} {count}" for name, count in item.agents.items())
    name = "no repository" if item.project == NON_REPOSITORY else item.project
    days = dict.fromkeys(f"{local(at):%Y-%m-%d}" for at in (item.first, item.latest))
    console.out(f"{console.style(name, bold=True)}  {' to '.join(days)}")
    sizes = f"{console.plural(item.sessions, 'session')}, {console.plural(item.chunks, 'chunk')}"
    console.out(f"  {sizes}, {console.size(item.size)}: {agents}")
    for folder, sessions in list(item.folders.items())[:_MAX_FOLDERS]:
        console.out(f"  {console.place(NON_REPOSITORY, folder)}: {console.plural(sessions, 'session')}")
    if len(item.folders) > _MAX_FOLDERS:
        console.out(f"  and {console.plural(len(item.folders) - _MAX_FOLDERS, 'more folder')}; --json lists them all")
