"""`aicx failures list`: the mistakes that tools reported in a repository's sessions."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from aicx import console, options
from aicx.commands.failures.common import print_line, reading
from aicx.config import load_settings
from aicx.work.failures import LIST_SCHEMA, FailuresAnswer, item_of, patterns_at


def command(
    limit: options.Limit = 20,
    status: Annotated[
        Literal["open", "resolved"] | None, typer.Option("--status", help="Only open ones, or only resolved ones.")
    ] = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="Of all repositories.")] = False,
    repo: options.Repo = None,
    utc: options.Utc = False,
) -> options.Answered:
    """List the failures that stored sessions of a repository ran into, the last reported first.

    A failure is one mistake that a tool reported, wherever and however often. It is resolved once the command that
    failed has passed.

    Example: aicx failures
    Example: aicx failures list --status open --everywhere --json
    """
    folder = None if everywhere else options.folder(repo)
    with reading() as on_progress:
        found, notes = patterns_at(load_settings(), folder, on_progress)
    wanted = [one for one in found if status is None or one.status == status]
    answer = FailuresAnswer(len(wanted[:limit]), len(wanted), list(map(item_of, wanted[:limit])), notes)
    yield LIST_SCHEMA, answer
    for item in answer.items:
        print_line(item)
    console.notify_notes(answer.notes)
    if not answer.items:
        where = "anywhere" if everywhere else "in this repository (--everywhere looks in all)"
        console.notify(f"No failures are known {where}.")
    elif answer.matched > answer.results:
        console.notify(f"{answer.results:,} of {answer.matched:,}; --limit {answer.matched} shows all.")
    else:
        console.notify("`aicx show REF` shows what was tried and what resolved one.")
