"""`aicx review candidates`: the queue."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.review import LIST_SCHEMA, ReviewListAnswer
from aicx.commands.memory.common import open_desk, opened
from aicx.commands.review.common import fields_of, print_candidate
from aicx.errors import CorpusDamaged
from aicx.memory.deciding import Desk
from aicx.review.proposals import read_proposal
from aicx.review.queue import Queue, read_queue
from aicx.review.states import OPEN, STATES

ReviewState = StrEnum("ReviewState", {name.replace("-", "_"): name for name in STATES})  # type: ignore[misc]


def command(
    state: Annotated[
        list[ReviewState] | None,
        typer.Option("--state", metavar="STATE", help="Only these states, several times; by default what is open."),
    ] = None,
    limit: options.Limit = 20,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """List what waits for a person: approved first, then patches to apply, what is pending, and what is blocked.

    It is the queue of the dashboard's page Memory. What was decided is listed by its state: promoted, rejected,
    manual-applied, stale.

    Example: aicx review candidates
    Example: aicx review candidates --state promoted --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        queue = read_queue(memory, [name for name in STATES if name in state] if state else OPEN)
    notes = _broken(desk, queue)
    if json:
        shown = [fields_of(one) for one in queue.candidates[:limit]]
        fields = ReviewListAnswer(shown, len(queue.candidates), queue.counts, desk.scope.repository, notes)
        console.out_answer(LIST_SCHEMA, fields)
        return
    for one in queue.candidates[:limit]:
        print_candidate(one)
    for note in notes:
        console.warn(note)
    if not queue.candidates:
        console.notify("Nothing waits for you here. `aicx review build` looks at what the work suggests to keep.")
    elif len(queue.candidates) > limit:
        console.notify(f"{len(queue.candidates) - limit:,} more; --limit {len(queue.candidates)} shows all.")
    if rest := {name: count for name, count in queue.counts.items() if name not in OPEN and not state}:
        console.notify(f"Decided: {', '.join(f'{count:,} {name}' for name, count in rest.items())}.")


def _broken(desk: Desk, queue: Queue) -> list[str]:
    """The proposals that wait and whose files are not as they were written."""
    notes = []
    for one in queue.candidates:
        if one.state == "manual-apply-pending":
            try:
                read_proposal(desk.settings.layout, one.record, one.standing)
            except CorpusDamaged as error:
                notes.append(f"{error.message}; {error.hint}")
    return notes
