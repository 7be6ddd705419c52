"""`aicx show failure:ID`: one failure, what was tried, and what resolved it."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import NotFound, UsageError
from aicx.work.failure_items import SCHEMA, FailureAnswer, FailureItem

_SHORTEST = 4  # digits of a fingerprint


@options.either("ref", "--failure")
def command(
    ref: Annotated[str, typer.Argument(metavar="ID", help="As `failures list` prints it, or its beginning.")],
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Show a failure: what the tool said, what was tried without effect, and what resolved it.

    Example: aicx show failure:3fa91c
    """
    # Imported here: not needed for --help.
    from aicx.commands.failures.common import patterns_at
    from aicx.work.failure_items import item_of

    wanted = ref.removeprefix("failure:")
    if len(wanted) < _SHORTEST:
        raise UsageError(f"{ref!r} is too short for an id", hint=f"give at least {_SHORTEST} of its digits")
    found, notes = patterns_at(load_settings(), None)
    named = [one for one in found if one.last.fingerprint.startswith(wanted)]
    # One that came up and ended with another one is told with it.
    fitting = named or [one for one in found if any(mark.startswith(wanted) for mark in one.also)]
    if not fitting:
        raise NotFound(f"no failure {ref!r} is known", hint="aicx failures list --everywhere")
    if len(fitting) > 1:
        raise UsageError(f"{ref!r} fits {len(fitting)} failures", hint=", ".join(one.id for one in fitting[:5]))
    item = item_of(fitting[0])
    if json:
        console.out_answer(SCHEMA, FailureAnswer(item, notes))
        return
    _print(item)
    console.notify_notes(notes)


def _print(item: FailureItem) -> None:
    # Imported here: see above.
    from aicx.commands.failures.common import print_line, told

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
