"""`aicx resume --restore`: what a session had before its context was compacted, or what the one before left."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings


@options.either("session")
def command(
    session: Annotated[
        str | None,
        typer.Option("--session", "-s", metavar="ID", help="The session to restore: its id or the beginning of it."),
    ] = None,
    check_pending: Annotated[
        bool,
        typer.Option("--check-pending", help="Only what a compaction marked, once; print nothing where nothing is."),
    ] = False,
    max_chars: Annotated[
        int, typer.Option("--max-chars", min=1000, max=100_000, metavar="N", help="The most that is printed.")
    ] = 5000,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Give a session back what it had before its context was compacted, or a new one what the last one left.

    Goal, next steps, what was tried without success, files, gotchas and decisions, each with the reference that proves
    it, and what the memory says to the goal, each record with its status. Everything from logs is between fences.
    Without --session it is the session that was compacted, else the one that asks, else the latest of this repository.

    The hooks of `aicx init` mark a session before its context is compacted. The next restore clears the mark; of two
    at once, one gets it.

    Example: aicx resume --restore
    Example: aicx resume --restore --session 4f2a81c0 --json
    Example: aicx resume --restore --check-pending
    """
    from aicx.lifecycle.identity import TERMINAL, Asker, find_session
    from aicx.sessions.restore import restore
    from aicx.work.place import find_place

    settings = load_settings()
    folder = options.folder(repo)
    asks = find_session(os.environ, settings.layout, find_place(settings, folder).root)
    found = restore(
        settings,
        folder,
        # A terminal is not a session of an agent, and nothing was marked by its name.
        Asker(asks.agent, asks.session if asks.rule != TERMINAL else None),
        options.now(),
        session=session,
        check_pending=check_pending,
        max_chars=max_chars,
        notify=console.notify,
    )
    if json:
        from aicx.sessions.restore_block import SCHEMA

        console.out_answer(SCHEMA, found)
        return
    if found.context:
        console.out(found.context.rstrip("\n"))
    console.notify_notes(found.notes)
    if not found.context and not check_pending:
        console.notify("Nothing is known of a session here. `aicx store` adds what is new.")
