"""`aicx memory candidates queue` and `show`: what waits for a person, and one of them with its evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.memory.common import RefArgument, open_desk, opened, print_whole
from aicx.commands.review.common import candidate_now, fields_of, print_candidate
from aicx.errors import CorpusDamaged
from aicx.memory.answers import HIDDEN, whole_of
from aicx.memory.deciding import Desk
from aicx.memory.events import events_of
from aicx.memory.files import read_log
from aicx.memory.review.answers import (
    LIST_SCHEMA,
    SHOW_SCHEMA,
    ReviewEvent,
    ReviewListAnswer,
    ReviewShowAnswer,
    surfaces_of,
)
from aicx.memory.review.patches import read_proposal
from aicx.memory.review.states import OPEN, STATES, Queue, next_step, read_queue
from aicx.text import instant

ReviewState = StrEnum("ReviewState", {name.replace("-", "_"): name for name in STATES})  # type: ignore[misc]


def command(
    state: Annotated[
        list[ReviewState] | None,
        typer.Option("--state", metavar="STATE", help="Only these states, several times; by default what is open."),
    ] = None,
    limit: options.Limit = 20,
    repo: options.Repo = None,
) -> options.Answered:
    """List what waits for a person: approved first, then patches to apply, what is pending, and what is blocked.

    It is the queue of the dashboard's page Memory. What was decided is listed by its state: promoted, rejected,
    manual-applied, stale.

    Example: aicx memory candidates queue
    Example: aicx memory candidates queue --state promoted --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        queue = read_queue(memory, [name for name in STATES if name in state] if state else OPEN)
    notes = _broken(desk, queue)
    shown = [fields_of(one) for one in queue.candidates[:limit]]
    yield LIST_SCHEMA, ReviewListAnswer(shown, len(queue.candidates), queue.counts, desk.scope.repository, notes)
    for one in queue.candidates[:limit]:
        print_candidate(one)
    for note in notes:
        console.warn(note)
    if not queue.candidates:
        console.notify("Nothing waits for you. `aicx memory candidates build` looks at what the work suggests to keep.")
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


@options.either("ref", "--ref")
def show(ref: RefArgument, repo: options.Repo = None, json: options.Json = False) -> None:
    """Show a candidate with its evidence, what was decided about it, and where it would be shown now.

    `querySurfacing` asks recall, a brief on its statement, the start of a session and the instruction files.

    Example: aicx memory candidates show mem:3fa29c01
    Example: aicx memory candidates show mem:3fa29c01 --json
    """
    desk = open_desk(repo)
    one = candidate_now(desk, ref)
    hidden = one.found.status in HIDDEN
    surfaces = [] if hidden else surfaces_of(desk, one)
    log = read_log(desk.settings.layout.memory)
    events = [ReviewEvent(instant(event.at), event.by, event.type) for event in events_of(log, one.record.id)]
    if json:
        with opened(desk) as memory:
            whole = whole_of(one.found, memory.context([one.record]).anchors)
        notes = [f"{len(log.damaged)} lines of the event log cannot be read"] if log.damaged else []
        fields = ReviewShowAnswer(fields_of(one), whole.details, whole.claims, whole.anchors, surfaces, events, notes)
        console.out_answer(SHOW_SCHEMA, fields)
        return
    where = ", reads like an instruction" if one.surface == "instructions" else ""
    console.out(f"{console.style(one.state, bold=True)}{where}")
    print_whole(desk, one.found)
    console.out("shown by:")
    rows = [
        (f"  {found.surface}", f"as {found.shown_as}" if found.shown_as else f"not ({', '.join(found.reasons)})")
        for found in surfaces
    ]
    console.out_table(rows, (16,))
    for event in events:
        console.out(f"  {console.when(event.at)}  {event.type} by {event.by}")
    console.say_zone()
    console.notify(f"next: {next_step(one)}")
