"""`aicx sessions windows`: the context windows of a session."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.text import local


@options.either("session", "--session", "-s")
def command(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="A session's id, or the beginning of it.")],
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """List the context windows of a session: what its model had in view at once, from one compaction to the next.

    Every message is in exactly one window. A window is named as session:AGENT:ID#w2.

    Example: aicx sessions windows 4f2a81c0
    """
    # Imported here: not needed for --help.
    from aicx.api.answers.session_windows import SCHEMA
    from aicx.sessions.summarize import open_session
    from aicx.sessions.summary_answer import windows_answer

    found = open_session(load_settings(), session)
    if json:
        console.out_answer(SCHEMA, windows_answer(found))
        return
    for one in found.windows:
        began = "begun by a compaction" if one.trigger == "compact" else "from the start"
        name = console.style(f"#w{one.index}", fg="green")
        until = local(one.ended_at)
        console.out(f"{name}  {local(one.started_at):%Y-%m-%d %H:%M} until {until:%Y-%m-%d %H:%M}, {began}")
        counts = [console.plural(one.messages, "message"), f"about {one.tokens:,} tokens"]
        chunks = [chunk.rpartition(":")[2] for chunk in one.chunks]
        which = f"chunks {chunks[0]} to {chunks[-1]}" if len(chunks) > 1 else f"chunk {chunks[0]}"
        console.out(f"     {', '.join(counts)}, {which}")
    console.say_zone()
    console.notify_notes(found.notes)
