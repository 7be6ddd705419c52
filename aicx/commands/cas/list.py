"""`aicx cas list`: the objects there are."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.cas import LIST_SCHEMA, ObjectList
from aicx.cas.entry import KINDS
from aicx.cas.reading import list_entries
from aicx.commands.cas.common import entry_of, print_entry
from aicx.config import load_settings


def command(
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="Only with this tag.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help=f"One of {', '.join(KINDS)}.")] = None,
    pinned: Annotated[bool, typer.Option("--pinned", help="Only those that are pinned.")] = False,
    limit: options.Limit = 50,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """List objects, those that were put last first.

    Example: aicx cas list --tag release
    Example: aicx cas list --kind task_pack --limit 5
    """
    if kind is not None:
        options.one_of(kind, KINDS, "is not a kind of object", "--kind")
    found = list_entries(load_settings().layout)
    fitting = [
        entry
        for entry in found.entries
        if (kind is None or entry.kind == kind) and set(tag or ()) <= set(entry.tags) and (entry.pinned or not pinned)
    ]
    if json:
        rows = list(map(entry_of, fitting[:limit]))
        console.out_answer(LIST_SCHEMA, ObjectList(rows, len(fitting), [f"sha256:{name}" for name in found.damaged]))
        return
    for entry in fitting[:limit]:
        print_entry(entry)
    for name in found.damaged:
        console.warn(f"sha256:{name} has no sidecar that can be read; put or pin it again")
    if len(fitting) > limit:
        console.notify(f"{limit:,} of {len(fitting):,} objects; --limit shows more.")
    if not fitting:
        console.notify("No object fits. `aicx pack task` makes one of what is being worked on here.")
