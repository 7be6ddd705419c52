"""`aicx projects merge`: makes two repositories one."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import options
from aicx.commands.projects.deciding import apply, check_known
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.places.decisions import Decisions, parse_project


def command(
    one: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="The repository that goes into the other.")],
    other: Annotated[str, typer.Argument(metavar="OWNER/REPO", help="The one that stays.")],
    json: options.Json = False,
) -> None:
    """File the sessions of one repository under another: two names of the same, or a fork and its origin.

    `-p` with the first name still finds them. Stored sessions move at once; `aicx projects rename` leads back.

    Example: aicx projects merge ada/website octo/website
    """
    goes, stays = parse_project(one), parse_project(other)

    def change(before: Decisions, catalog: Catalog) -> Decisions:
        check_known(goes, before, catalog)
        check_known(stays, before, catalog)
        return before.rename(goes, stays)

    apply(change, f"{goes} is part of {stays}", json=json)
