"""Shared by the actions: their options, the question that these make, and how a pack is printed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.pack import SCHEMA, PackAnswer
from aicx.errors import UsageError
from aicx.packs.query import MODES, SCOPES, Limits, Mode, PackQuery, Period
from aicx.packs.rendering import BUDGET, MIN_BUDGET

Focus = Annotated[
    str, typer.Option("--focus-query", metavar="WORDS", help="What it is to be about: sessions that say so come first.")
]
From = Annotated[str | None, typer.Option("--date-from", metavar="DAY", help="The first day, such as 2026-03-01.")]
To = Annotated[str | None, typer.Option("--date-to", metavar="DAY", help="The last day, which counts too.")]
ScopeOption = Annotated[
    str,
    typer.Option(
        "--scope",
        metavar="SCOPE",
        help="workspace (this working folder), family (all worktrees), or auto: the first that has something.",
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        *("--budget", "-b"),
        metavar="N",
        min=MIN_BUDGET,
        max=100_000,
        help=f"Tokens that the summary may have; by default {BUDGET:,}.",
    ),
]
SummaryOption = Annotated[
    str,
    typer.Option(
        "--summary",
        metavar="HOW",
        help="deterministic (by rules), llm (the configured summarizer), or llm_cleanup (both).",
    ),
]
Now = Annotated[
    str | None,
    typer.Option("--now", metavar="INSTANT", help="The clock, such as 2026-03-31T12:00:00Z; by default the real one."),
]


def query_of(
    repo: str | None,
    *,
    task: str | None = None,
    focus: str,
    first: str | None,
    last: str | None,
    scope: str,
    now: str | None,
    limits: Limits,
) -> PackQuery:
    """What the options ask for. Raises UsageError."""
    return PackQuery(
        folder=options.folder(repo),
        now=clock(now),
        task=task,
        focus=" ".join(focus.split()),
        period=Period.of(first, last),
        scope=options.one_of(scope, SCOPES, "is not a scope", "--scope"),
        limits=limits,
    )


def mode_of(text: str) -> Mode:
    """Raises UsageError."""
    return options.one_of(text, MODES, "is not a way to sum up", "--summary")


def answer(found: PackAnswer, *, json: bool) -> None:
    """Prints a pack: its summary, or everything."""
    if json:
        console.out_answer(SCHEMA, found)
        return
    console.out(found.summary.text.rstrip("\n"))
    console.notify_notes(filter(None, (*found.pack["remarks"], found.summary.note)))
    size = f"{found.summary.tokens:,} of {found.summary.budget:,} tokens"
    console.notify(f"{console.style('Pack:', fg='green', bold=True)} {found.artifact}; summary of {size}.")


def clock(text: str | None) -> datetime:
    """The instant that is written, else now. Raises UsageError."""
    if text is None:
        return options.now()
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not an instant", hint="write --now 2026-03-31T12:00:00Z") from error
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
