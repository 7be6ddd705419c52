"""`aicx cas gc`: deletes objects that were not put for a while."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.cas import GC_SCHEMA, ObjectsCollected
from aicx.cas.collecting import DAYS, collect
from aicx.commands.cas.common import entry_of, print_entry
from aicx.config import load_settings


def command(
    older_than: Annotated[
        float,
        typer.Option("--older-than", metavar="DAYS", min=0, max=36_500, help="Days since it was put last; 0 for all."),
    ] = DAYS,
    most: Annotated[
        int | None, typer.Option("--max-delete", metavar="N", min=1, help="At most this many, the oldest first.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Delete them. Without it they are only shown.")] = False,
    json: options.Json = False,
) -> None:
    """Show which objects would go: those that are not pinned and were not put for 30 days. --apply deletes them.

    Example: aicx cas gc
    Example: aicx cas gc --older-than 90 --apply
    """
    settings = load_settings()
    found = collect(settings, options.now(), days=older_than, most=most, apply=apply, notify=console.notify)
    size = sum(entry.size for entry in found.entries)
    if json:
        answer = ObjectsCollected(
            found.applied,
            list(map(entry_of, found.entries)),
            size,
            found.pinned,
            found.younger,
            [f"sha256:{name}" for name in found.unknown],
            found.leftovers,
        )
        console.out_answer(GC_SCHEMA, answer)
        return
    for entry in found.entries:
        print_entry(entry)
    done = "Deleted:" if apply else "Would delete:"
    console.notify(
        f"{console.style(done, fg='green', bold=True)} {console.plural(len(found.entries), 'object')}, {size:,} bytes."
        f" Kept: {found.pinned:,} pinned, {found.younger:,} younger."
    )
    if found.unknown:
        console.warn(f"{console.plural(len(found.unknown), 'object')} left, whose sidecars cannot be read")
    if found.entries and not apply:
        console.notify("Nothing was changed; --apply deletes them.")
