"""`aicx projects rename`: says that a repository has another name now."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import options
from aicx.commands.projects.deciding import apply, check_known
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.places.decisions import Decisions, parse_project
from aicx.errors import UsageError


def command(
    old: Annotated[str, typer.Argument(metavar="OLD", help="OWNER/REPO as it was.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="OWNER/REPO as it is now.")],
    json: options.Json = False,
) -> None:
    """Say that a repository has another name now, after a move or a rename at the forge.

    `-p OLD` still finds its sessions. Stored sessions move at once; renaming back undoes it.

    Example: aicx projects rename octo/site octo/website
    """
    before_name, after_name = parse_project(old), parse_project(new)

    def change(before: Decisions, catalog: Catalog) -> Decisions:
        check_known(before_name, before, catalog)
        back = before.renamed.get(after_name) == before_name
        if not back and catalog.rows("SELECT 1 FROM chunks WHERE project=? LIMIT 1", (after_name,)):
            raise UsageError(
                f"sessions are filed under {after_name} already", hint=f"aicx projects merge {before_name} {after_name}"
            )
        return before.rename(before_name, after_name)

    apply(change, f"{before_name} is {after_name} now", json=json)
