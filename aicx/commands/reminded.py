"""`aicx status --recall`: what sessions were told unasked, and whether they used it."""

from __future__ import annotations

from aicx import console, options
from aicx.config import load_settings
from aicx.reminders.told import SCHEMA, RemindersAnswer, told
from aicx.text import local, plural


def command(
    limit: options.Limit = 20,
    json: options.Json = False,
) -> None:
    """Show what sessions were told unasked by hooks, when, and whether they then used it.

    Used means that the session's log names the reference afterwards, or changes a file that had mended the failure.

    Example: aicx status --recall
    Example: aicx status --recall --json
    """
    print_recall(told(load_settings(), limit), json=json)


def print_recall(found: RemindersAnswer, *, json: bool) -> None:
    """The ledger, for a program or for a person."""
    if json:
        console.out_answer(SCHEMA, found)
        return
    lanes = ", ".join(f"{count:,} {lane}" for lane, count in found.by_lane.items())
    console.out(f"{plural(found.said, 'reminder')}{f' ({lanes})' if lanes else ''}")
    if found.said:
        console.out(f"used {found.used:,}, not used {found.unused:,}, not known {found.unknown:,}")
    uses = {True: "used", False: "not used", None: "not known"}
    rows = [
        (f"{local(one.at):%Y-%m-%d %H:%M}", one.lane, one.kind, uses[one.used], f"{one.ref}  to {one.session}")
        for one in found.items
    ]
    console.out_table(rows, (18, 8, 9, 10))
