"""`aicx show failure:ID`: one failure, what was tried, and what resolved it."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.failures.common import print_line, reading
from aicx.config import load_settings
from aicx.work.failures import SCHEMA, FailureItem, find_failure, told


@options.either("ref", "--failure")
def command(
    ref: Annotated[str, typer.Argument(metavar="ID", help="As `failures list` prints it, or its beginning.")],
    utc: options.Utc = False,
) -> options.Answered:
    """Show a failure: what the tool said, what was tried without effect, and what resolved it.

    Example: aicx show failure:3fa91c
    """
    with reading() as on_progress:
        found = find_failure(load_settings(), ref, on_progress)
    yield SCHEMA, found
    _print(found.failure)
    console.notify_notes(found.notes)


def _print(item: FailureItem) -> None:
    style = console.style
    print_line(item)
    console.out(f"          `{item.command}`  {style(item.last_ref, fg='green')}")
    for title, tries in (
        ("Resolved by", [(one.by, one.session) for one in item.resolutions]),
        ("Tried without effect", [(one, "") for one in item.attempts]),
    ):
        if tries:
            console.out(f"\n{style(title, bold=True)}")
        for one, session in tries:
            console.out(f"  {console.when(one.at)}  {told(one, session)}  {style(one.ref, fg='green')}")
    if len(item.sessions) > 1:
        console.out(f"\n{style('Sessions', bold=True)}")
        for session in item.sessions:
            console.out(f"  {style(session, fg='green')}")
