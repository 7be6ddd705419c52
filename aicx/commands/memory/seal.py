"""`aicx memory seal`: takes the log of decisions as it is, after it was restored or came from elsewhere."""

from __future__ import annotations

from contextlib import suppress

from aicx import console, options
from aicx.api.answers.memory import SEAL_SCHEMA, SealAnswer
from aicx.commands.memory.common import By, Yes, confirm, open_desk, opened
from aicx.errors import NotFound
from aicx.memory.deciding import UNNAMED, Decider, named, seal, unsealed
from aicx.memory.record import PREFIX


def command(by: By = UNNAMED, yes: Yes = False, repo: options.Repo = None, json: options.Json = False) -> None:
    """Take the log of decisions as it is, where it is not the one that this home wrote.

    Needed once for a memory that was written before decisions were sealed, and after `memory/` was restored from a
    backup or copied here. What was decided after that copy was made is not in it: look at the records first.

    Example: aicx memory seal --by "Ada Lovelace"
    """
    named(by, "seal")
    desk = open_desk(repo)
    names = unsealed(desk.settings)
    if names:
        with opened(desk) as memory:
            records = []
            for name in names:
                with suppress(NotFound):
                    records.append(memory.find(f"{PREFIX}{name}"))
        confirm(desk, records, "Take the decisions about these as the log has them?", yes=yes, json=json)
        seal(desk, names, Decider(by))
    if json:
        console.out_answer(SEAL_SCHEMA, SealAnswer([f"{PREFIX}{name}" for name in names]))
    elif names:
        done = console.style("Sealed:", fg="green", bold=True)
        console.notify(f"{done} the decisions about {console.plural(len(names), 'record')}.")
    else:
        console.notify("Every decision is sealed.")
