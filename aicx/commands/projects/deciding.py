"""Shared by the actions that decide: the folder as it was written, and saying what the decision did."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.projects import DECISION_SCHEMA, DecisionAnswer
from aicx.config import load_settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.ingest.deciding import decide
from aicx.corpus.places.decisions import Decisions
from aicx.corpus.places.stored import stored_folders
from aicx.engine.index_manifest import read_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.errors import NotFound
from aicx.paths import Layout, user_path

Folder = Annotated[
    str, typer.Argument(metavar="FOLDER", click_type=options.PATH, help="A folder; it need not exist any more.")
]
_MAX_NAMED = 8


def absolute(folder: str) -> str:
    """The folder as sessions name it. Raises UnsafePath."""
    return os.path.abspath(user_path(folder))  # noqa: PTH100  links stay: logs have the path that was typed


def apply(
    change: Callable[[Decisions, Catalog], Decisions], done: str, *, json: bool, folder: str | None = None
) -> None:
    """Records a decision, moves what it concerns, brings the word index up to date, and reports it.

    Where the decision is about a ``folder``, the report says if no session worked there.
    """
    settings = load_settings()
    filing = decide(settings, change, console.notify)
    if folder is not None and not _is_known(folder, settings.layout):
        filing.notes.append(f"no stored session worked in {folder}; it counts for those that will")
    if filing.moved:
        with console.count_bar("Indexing") as counting:
            refresh_lexical(settings, console.notify, counting)
    if json:
        console.out_answer(DECISION_SCHEMA, DecisionAnswer(filing.moved, filing.notes))
        return
    console.notify(f"{console.style(done, fg='green', bold=True)}; {console.plural(filing.moved, 'chunk')} moved.")
    for note in filing.notes:
        console.notify(f"  {note}")
    if filing.moved and read_manifest(settings.layout).get("vectors"):
        console.notify("Next: aicx index   (the vectors of moved chunks follow then)")


def _is_known(folder: str, layout: Layout) -> bool:
    with open_catalog(layout) as opened:
        return any(cwd == folder or cwd.startswith(f"{folder}/") for cwd in stored_folders(opened.catalog))


def check_known(project: str, decisions: Decisions, catalog: Catalog) -> None:
    """Raises NotFound for a repository that nothing is filed under and nothing was decided about."""
    stored = [row["project"] for row in catalog.rows("SELECT DISTINCT project FROM chunks ORDER BY project")]
    if project not in stored and project not in {*decisions.renamed, *decisions.assigned.values()}:
        known = ", ".join([name for name in stored if "/" in name][:_MAX_NAMED])
        raise NotFound(f"nothing is filed under {project}", hint=f"known: {known or 'none'}")
