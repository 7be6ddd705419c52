"""`aicx memory get`: one record whole."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.memory import GET_SCHEMA
from aicx.commands.memory.common import RefArgument, open_desk, opened, print_whole
from aicx.memory.entry import whole_of


def command(ref: RefArgument, repo: options.Repo = None, json: options.Json = False) -> None:
    """Show a record with its details, its evidence and what its anchors are now.

    Example: aicx memory get export-check
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        record = memory.find(ref)
        (found,) = memory.assessed([record])
        if json:
            console.out_answer(GET_SCHEMA, whole_of(found, memory.context([record]).anchors))
            return
    print_whole(desk, found)
    console.notify(f"Its file is {desk.settings.layout.memory / record.path}; edit it by hand if you like.")
