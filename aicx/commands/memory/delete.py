"""`aicx memory decide delete`: deletes a record."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.memory.common import ByAnybody, RefArgument, Rev, Yes, confirm, open_desk, opened
from aicx.memory.answers import ENTRY_SCHEMA, EntryAnswer, entry_of
from aicx.memory.deciding import UNNAMED, Decider, named, refuse_to_unprotect
from aicx.memory.deciding import delete as delete_record


@options.either("ref", "--ref")
def command(
    ref: RefArgument,
    by: ByAnybody = UNNAMED,
    yes: Yes = False,
    rev: Rev = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Delete a record's files. The event log keeps its id, without a word of it.

    `aicx memory decide archive` puts a record away instead.

    Example: aicx memory decide delete mem:3fa29c01 --yes
    Example: aicx memory decide delete mem:3fa29c01 --yes --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        record = memory.find(ref)
        refuse_to_unprotect(memory, record, named(by, "delete"), "delete")
        (found,) = memory.assessed([record])
    confirm(desk, [record], "Delete this? What it says is lost, which cannot be undone", yes=yes, json=json)
    delete_record(desk, ref, Decider(by, shown=record, rev=rev))
    if json:
        console.out_answer(ENTRY_SCHEMA, EntryAnswer(entry_of(found), ["it is deleted; this is what it was"]))
    else:
        console.notify(f"{console.style('Deleted:', fg='green', bold=True)} {record.ref}.")
