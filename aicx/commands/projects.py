"""`aicx projects`: folders and the repositories they belong to, and decisions about them."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import groupby
from typing import Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.places import FolderDecisions, parse_project
from aicx.corpus.places.report import DECISION_SCHEMA, SCHEMA, DecisionAnswer, ProjectsAnswer, WorkFolder, list_places
from aicx.corpus.places.stored import stored_folders
from aicx.errors import NotFound, UsageError
from aicx.folders import is_absolute, slashed
from aicx.paths import NON_REPOSITORY, Layout, user_path
from aicx.questions import PATH, Argument, Option
from aicx.redaction import redact

Folder = Annotated[str, Argument(metavar="FOLDER", click_type=PATH, help="A folder; it need not exist any more.")]
_MAX_NAMED = 8


def list_projects(
    unknown: Annotated[bool, Option("--unknown", help="Only the folders that belong to no repository.")] = False,
) -> options.Answered:
    """List the folders of stored sessions by repository, with the reason.

    Example: aicx projects --unknown
    Example: aicx projects
    """
    with open_catalog(load_settings().layout) as opened:
        notes = opened.said
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
    return item.repository is None, item.repository or "", -(item.sessions or 0), item.folder


def _print(repository: str | None, items: list[WorkFolder]) -> None:
    console.out(console.style(repository or "no repository", bold=True))
    for item in items:
        folder = console.place(NON_REPOSITORY, item.folder)
        console.out(f"  {console.style(folder, fg='cyan')}  {console.plural(item.sessions or 0, 'session')}")
        console.out(f"    {item.reason}")


def assign(
    folder: Folder, repository: Annotated[str, Argument(metavar="OWNER/REPO", help="The repository it belongs to.")]
) -> options.Answered:
    """Say which repository a folder, and every folder below it, belongs to.

    It wins over everything aicx learned and over git itself. Stored sessions move at once; their ids stay.

    Example: aicx projects assign . octo/website
    Example: aicx projects assign ~/work/site octo/website
    """
    place, project = _absolute(folder), _named(repository)
    yield from _apply(lambda before, _: before.assign(place, project), f"{place} belongs to {project}", folder=place)


def ignore(folder: Folder) -> options.Answered:
    """Say that a folder, and every folder below it, belongs to no repository.

    Its sessions stay stored and can be found; only their repository goes. Stored sessions move at once.

    Example: aicx projects ignore /tmp/scratch
    Example: aicx projects ignore /tmp/scratch --json
    """
    place = _absolute(folder)
    yield from _apply(lambda before, _: before.ignore(place), f"{place} belongs to no repository", folder=place)


def reset(folder: Folder) -> options.Answered:
    """Drop what `assign` or `ignore` decided about a folder: what aicx learned counts again.

    Example: aicx projects reset ~/work/site
    Example: aicx projects reset ~/work/site --json
    """
    place = _absolute(folder)

    def change(before: FolderDecisions, _: Catalog) -> FolderDecisions:
        if place not in before.assigned and place not in before.ignored:
            decided = sorted({*before.assigned, *before.ignored})
            raise NotFound(f"nothing was decided about {place}", hint=f"decided: {', '.join(decided) or 'no folder'}")
        return before.reset(place)

    yield from _apply(change, f"{place} is learned again")


def merge(
    one: Annotated[str, Argument(metavar="OWNER/REPO", help="The repository that goes into the other.")],
    other: Annotated[str, Argument(metavar="OWNER/REPO", help="The one that stays.")],
) -> options.Answered:
    """File the sessions of one repository under another: two names of the same, or a fork and its origin.

    `-p` with the first name still finds them. Stored sessions move at once; `aicx projects rename` leads back.

    Example: aicx projects merge ada/website octo/website
    Example: aicx projects merge ada/website octo/website --json
    """
    goes, stays = _named(one), _named(other)

    def change(before: FolderDecisions, catalog: Catalog) -> FolderDecisions:
        _check_known(goes, before, catalog)
        _check_known(stays, before, catalog)
        return before.rename(goes, stays)

    yield from _apply(change, f"{goes} is part of {stays}")


def rename(
    old: Annotated[str, Argument(metavar="OLD", help="OWNER/REPO as it was.")],
    new: Annotated[str, Argument(metavar="NEW", help="OWNER/REPO as it is now.")],
) -> options.Answered:
    """Say that a repository has another name now, after a move or a rename at the forge.

    `-p OLD` still finds its sessions. Stored sessions move at once; renaming back undoes it.

    Example: aicx projects rename octo/site octo/website
    Example: aicx projects rename octo/site octo/website --json
    """
    before_name, after_name = _named(old), _named(new)

    def change(before: FolderDecisions, catalog: Catalog) -> FolderDecisions:
        _check_known(before_name, before, catalog)
        back = before.renamed.get(after_name) == before_name
        if not back and catalog.rows("SELECT 1 FROM chunks WHERE project=? LIMIT 1", (after_name,)):
            raise UsageError(
                f"sessions are filed under {after_name} already", hint=f"aicx projects merge {before_name} {after_name}"
            )
        return before.rename(before_name, after_name)

    yield from _apply(change, f"{before_name} is {after_name} now")


def _absolute(folder: str) -> str:
    """The folder as stored sessions name it, which is without secrets. Raises UnsafePath."""
    if is_absolute(folder) and not folder.startswith("/"):
        return redact(slashed(folder)).text  # of Windows, and of no folder here
    return redact(os.path.abspath(user_path(folder))).text  # noqa: PTH100  links stay: logs have what was typed


def _named(project: str) -> str:
    """Returns what a repository is to be called. Raises UsageError for what is no name, or a secret."""
    found = parse_project(project)
    if redact(found).counts:
        raise UsageError("this name looks like a secret", hint="for example: aicx projects assign . octo/website")
    return found


def _apply(
    change: Callable[[FolderDecisions, Catalog], FolderDecisions], done: str, folder: str | None = None
) -> options.Answered:
    """Records a decision, moves what it concerns, brings the word index up to date, and reports it.

    Where the decision is about a ``folder``, the report says if no session worked there.
    """
    # Imported here: what is listed needs none of it.
    from aicx.corpus.ingest.filing import decide
    from aicx.engine.index_manifest import read_manifest
    from aicx.engine.lexical_index import refresh_lexical

    settings = load_settings()
    filing = decide(settings, change, console.notify)
    if folder is not None and not _is_known(folder, settings.layout):
        filing.notes.append(f"no stored session worked in {folder}; it counts for those that will")
    if filing.moved:
        with console.count_bar("Indexing") as counting:
            refresh_lexical(settings, console.notify, counting)
    yield DECISION_SCHEMA, DecisionAnswer(filing.moved, filing.notes)
    console.notify(f"{console.style(done, fg='green', bold=True)}; {console.plural(filing.moved, 'chunk')} moved.")
    for note in filing.notes:
        console.notify(f"  {note}")
    if filing.moved and read_manifest(settings.layout).get("vectors"):
        console.notify("Next: aicx index   (the vectors of moved chunks follow then)")


def _is_known(folder: str, layout: Layout) -> bool:
    with open_catalog(layout) as opened:
        return any(cwd == folder or cwd.startswith(f"{folder}/") for cwd in stored_folders(opened.catalog))


def _check_known(project: str, decisions: FolderDecisions, catalog: Catalog) -> None:
    """Raises NotFound for a repository that nothing is filed under and nothing was decided about."""
    stored = [row["project"] for row in catalog.rows("SELECT DISTINCT project FROM chunks ORDER BY project")]
    if project not in stored and project not in {*decisions.renamed, *decisions.assigned.values()}:
        known = ", ".join([name for name in stored if "/" in name][:_MAX_NAMED])
        raise NotFound(f"nothing is filed under {project}", hint=f"known: {known or 'none'}")
