"""`aicx memory decide seal`: takes the log of decisions as it is, after it was restored or came from elsewhere."""

from __future__ import annotations

from contextlib import suppress

from aicx import console, options
from aicx.commands.memory.common import By, Yes, confirm, open_desk, opened
from aicx.errors import NotFound
from aicx.memory.answers import SEAL_SCHEMA, SealAnswer
from aicx.memory.deciding import UNNAMED, Decider, named, seal, unsealed
from aicx.memory.record import PREFIX


def command(by: By = UNNAMED, yes: Yes = False, repo: options.Repo = None, json: options.Json = False) -> None:
    """Take the log of decisions as it is, where it is not the one that this home wrote.

    Needed once for a memory that was written before decisions were sealed, and after `memory/` was restored from a
    backup or copied here. What was decided after that copy was made is not in it. Each record is shown first, also
    with --yes; what cannot be shown is left out, and stays without trust.

    Example: aicx memory decide seal --by "Ada Lovelace"
    Example: aicx memory decide seal --by "Ada Lovelace" --json
    """
    named(by, "seal")
    desk = open_desk(repo)
    names = unsealed(desk.settings)
    shown: list[str] = []
    if names:
        records = []
        with opened(desk) as memory:
            for name, standing in names.items():
                with suppress(NotFound):
                    found = memory.find(f"{PREFIX}{name}")
                    if (desk.settings.layout.memory / found.path).is_file():
                        records.append(found)
                        continue
                if standing.erased or standing.adopted is None:
                    shown.append(name)  # nothing of it is believed
            records = [found.record for found in memory.assessed(records) if found.status != "policy_blocked"]
            if yes:
                for record in records:
                    console.notify("\n  - ".join([f"{record.ref}  {record.statement}", *record.details]))
        confirm(desk, records, "Take the decisions about these as the log has them?", yes=yes, json=json)
        shown = sorted([*shown, *(record.id for record in records)])
        seal(desk, shown, Decider(by))
    left_out = [f"{PREFIX}{name}" for name in names if name not in shown]
    if left_out:
        console.warn(f"not sealed, because they cannot be shown: {', '.join(left_out)}")
    if json:
        console.out_answer(SEAL_SCHEMA, SealAnswer([f"{PREFIX}{name}" for name in shown], left_out))
    elif shown:
        done = console.style("Sealed:", fg="green", bold=True)
        console.notify(f"{done} the decisions about {console.plural(len(shown), 'record')}.")
    elif not names:
        console.notify("Every decision is sealed.")
