"""`aicx review show`: a candidate with what a person looks at before deciding."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.review import SHOW_SCHEMA, ReviewEvent, ReviewShowAnswer, ReviewSurface
from aicx.commands.memory.common import RefArgument, open_desk, opened, print_whole
from aicx.commands.review.common import candidate_now, fields_of
from aicx.memory.entry import HIDDEN, whole_of
from aicx.memory.events import events_of
from aicx.memory.walking import read_log
from aicx.review.states import next_step
from aicx.review.surfacing import surfaces_of
from aicx.text import instant, local


@options.either("ref", "--ref")
def command(ref: RefArgument, repo: options.Repo = None, json: options.Json = False) -> None:
    """Show a candidate with its evidence, what was decided about it, and where it would be shown now.

    `querySurfacing` asks recall, a brief on its statement, the start of a session and the instruction files.

    Example: aicx review show mem:3fa29c01
    """
    desk = open_desk(repo)
    one = candidate_now(desk, ref)
    hidden = one.found.status in HIDDEN
    surfaces = [] if hidden else surfaces_of(desk.settings, desk.scope, one, desk.now)
    log = read_log(desk.settings.layout.memory)
    events = [ReviewEvent(instant(event.at), event.by, event.type) for event in events_of(log, one.record.id)]
    if json:
        with opened(desk) as memory:
            whole = whole_of(one.found, memory.context([one.record]).anchors)
        notes = [f"{len(log.damaged)} lines of the event log cannot be read"] if log.damaged else []
        shown = [
            ReviewSurface(s.surface, s.query, s.shown_as is not None, s.shown_as, list(s.reasons)) for s in surfaces
        ]
        fields = ReviewShowAnswer(fields_of(one), whole.details, whole.claims, whole.anchors, shown, events, notes)
        console.out_answer(SHOW_SCHEMA, fields)
        return
    where = ", reads like an instruction" if one.surface == "instructions" else ""
    console.out(f"{console.style(one.state, bold=True)}{where}")
    print_whole(desk, one.found)
    console.out("shown by:")
    for found in surfaces:
        how = f"as {found.shown_as}" if found.shown_as else f"not ({', '.join(found.reasons)})"
        console.out(f"  {found.surface:<13} {how}")
    for event in events:
        console.out(f"  {local(event.at):%Y-%m-%d %H:%M}  {event.type} by {event.by}")
    console.say_zone()
    console.notify(f"next: {next_step(one)}")
