"""`aicx pack family`: what the sessions and tasks of a repository say together."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.pack import common
from aicx.config import load_settings
from aicx.packs.query import Limits

_LIMITS = Limits()


def command(
    focus: common.Focus = "",
    first: common.From = None,
    last: common.To = None,
    scope: common.ScopeOption = "auto",
    budget: common.Budget = None,
    summary: common.SummaryOption = "deterministic",
    items: Annotated[
        int, typer.Option("--items", metavar="N", min=1, max=1000, help="At most this many lines in each list.")
    ] = _LIMITS.items,
    chosen: Annotated[
        int, typer.Option("--owners", metavar="N", min=0, max=1000, help="Tasks and sessions that the summary names.")
    ] = _LIMITS.chosen,
    now: common.Now = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Bundle what the tasks and sessions of a repository say: what is open, changed, learned, feared and still to do.

    Each line says how many tasks and sessions it rests on, when it was said last, and which these are. A session of a
    task counts as that task. Days are those of this machine's clock; both ends count.

    Example: aicx pack family
    Example: aicx pack family --focus-query "token refresh" --date-from 2026-03-01 --date-to 2026-03-31
    """
    # Imported here: not needed for --help.
    from aicx.packs.making import make

    mode = common.mode_of(summary)
    limits = replace(_LIMITS, items=items, chosen=chosen)
    query = common.query_of(repo, focus=focus, first=first, last=last, scope=scope, now=now, limits=limits)
    with console.count_bar("Reading sessions") as bar:
        query = replace(query, progress=lambda done, of: bar(done, of, ""))
        found = make(load_settings(), "family", query, budget=budget, mode=mode, notify=console.notify)
    common.answer(found, json=json)
