"""`aicx memory history`: what happened to a record."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.memory import HISTORY_SCHEMA, HistoryAnswer, MemoryEvent
from aicx.commands.memory.common import RefArgument, open_desk, opened
from aicx.errors import NotFound
from aicx.memory.events import events_of
from aicx.memory.record import PREFIX
from aicx.memory.walking import read_log
from aicx.text import instant, local


@options.either("ref", "--ref")
def command(ref: RefArgument, utc: options.Utc = False, repo: options.Repo = None, json: options.Json = False) -> None:
    """List every decision about a record, oldest first: what, when, and by whom. Also of one that was deleted.

    Example: aicx memory history export-check
    """
    desk = open_desk(repo)
    log = read_log(desk.settings.layout.memory)
    with opened(desk) as memory:
        try:
            name = memory.find(ref).id
        except NotFound:
            name = ref.removeprefix(PREFIX)
            if not any(events_of(log, name)):
                raise
    events = list(events_of(log, name))
    if json:
        rows = [
            MemoryEvent(one.id, instant(one.at), one.by, one.type, [f"{PREFIX}{ref}" for ref in one.refs], one.code)
            for one in events
        ]
        console.out_answer(HISTORY_SCHEMA, HistoryAnswer(f"{PREFIX}{name}", rows, list(log.damaged)))
        return
    for one in events:
        others = ", ".join(f"{PREFIX}{other}" for other in one.refs if other != name)
        about = [*([one.code] if one.code else []), *([f"with {others}"] if others else [])]
        done = console.style(one.type.removeprefix("memory."), bold=True)
        more = f" ({', '.join(about)})" if about else ""
        console.out(f"{local(one.at):%Y-%m-%d %H:%M}  {done} by {one.by}{more}")
    console.say_zone()
    if log.damaged:
        console.warn(
            f"{console.plural(len(log.damaged), 'line')} of the event log cannot be read; `aicx doctor` says more"
        )
