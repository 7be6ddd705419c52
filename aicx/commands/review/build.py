"""`aicx memory candidates build`: what the work suggests to keep becomes candidates."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.memory.common import open_desk, opened
from aicx.commands.review.common import fields_of, print_candidate
from aicx.continuity.reading import read_layers
from aicx.continuity.suggesting import proposals_of
from aicx.errors import NotFound
from aicx.memory.backfill import Planned
from aicx.memory.deciding import Desk
from aicx.memory.proposals import Proposal
from aicx.memory.review.answers import BUILD_SCHEMA, BuiltItem, ReviewBuildAnswer
from aicx.memory.review.building import build, proposals_in
from aicx.memory.review.deciding import look
from aicx.memory.review.states import ReviewedRecord
from aicx.work.place import find_place

_DONE = {"new": "new", "seen": "more evidence", "known": "already known"}


@options.either("session")
def command(
    session: Annotated[
        str | None, typer.Option("--session", "-s", metavar="ID", help="Of this stored session, not of the note.")
    ] = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Make candidates of what the continuity note, or one session, suggests to keep.

    At most six at a time for the memory, and six for instruction files. Next steps, files and what was not tried are
    the work itself and never suggested; neither is what an instruction file says already. What a record says already
    is more evidence for it, and what others proposed stays as it was.

    Example: aicx memory candidates build
    Example: aicx memory candidates build --session claude:3eaf4091
    """
    desk = open_desk(repo)
    if session is not None:
        source, proposals, notes = proposals_in(desk.settings, session)
    else:
        source, (proposals, notes) = "continuity", _noted(desk, repo)
    built = build(desk, proposals)
    items = [(planned, _made(desk, planned)) for planned in built.planned]
    fields = [BuiltItem(fields_of(one) if one else None, planned.ref, planned.state) for planned, one in items]
    yield BUILD_SCHEMA, ReviewBuildAnswer(source, len(proposals), fields, built.left, notes)
    for planned, one in items:
        console.out(_DONE[planned.state])
        if one is not None:
            print_candidate(one)
        else:
            console.out(f"{planned.ref}  {planned.draft.statement}  (of {planned.draft.repository})")
    console.notify_notes(notes)
    if built.left:
        console.notify(f"Left out: {', '.join(sorted({one.reason for one in built.left}))}.")
    console.notify("Next: aicx memory candidates queue" if items else "Nothing is suggested.")


def _noted(desk: Desk, repo: str | None) -> tuple[list[Proposal], list[str]]:
    """Reads what the notes of the worktree suggest, and says which cannot be understood."""
    layers = read_layers(desk.settings, find_place(desk.settings, options.folder(repo)))
    notes = [f"{one.path} cannot be understood, and is left as it is: {one.why}" for one in layers.broken]
    if source := layers.merged.source:
        notes.append(f"the session it is from may suggest more: aicx memory candidates build --session {source}")
    place = desk.scope.repository or str(desk.scope.root)
    return list(proposals_of(layers.merged, place, desk.now)), notes


def _made(desk: Desk, planned: Planned) -> ReviewedRecord | None:
    with opened(desk) as memory:
        try:
            return look(memory, planned.ref)
        except NotFound:
            return None
