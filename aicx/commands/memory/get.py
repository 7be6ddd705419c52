"""`aicx memory get`: one record whole."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.memory import (
    ENTRY_SCHEMA,
    GET_SCHEMA,
    LIST_SCHEMA,
    EntryAnswer,
    ListAnswer,
    MemoryEntry,
    Pagination,
)
from aicx.commands.memory.common import RefArgument, open_desk, opened, print_whole
from aicx.commands.memory.recalled import print_entry
from aicx.memory.entry import whole_of
from aicx.memory.recall.live import find_live


@options.either("ref", "--ref")
def command(ref: RefArgument, repo: options.Repo = None, json: options.Json = False) -> None:
    """Show a record with its details, its evidence and what its anchors are now, or what an instruction file says.

    Example: aicx memory get export-check
    Example: aicx memory get live:claude:CLAUDE.md#L3
    """
    desk = open_desk(repo)
    if ref.startswith("live:"):
        _show_live(find_live(desk.settings, desk.scope, ref, desk.now), desk.scope.repository, json=json)
        return
    with opened(desk) as memory:
        record = memory.find(ref)
        (found,) = memory.assessed([record])
        if json:
            console.out_answer(GET_SCHEMA, whole_of(found, memory.context([record]).anchors))
            return
    print_whole(desk, found)
    if found.status != "policy_blocked":  # the name of its file is made of its words
        console.notify(f"Its file is {desk.settings.layout.memory / record.path}; edit it by hand if you like.")


def _show_live(entries: list[MemoryEntry], repository: str | None, *, json: bool) -> None:
    """A statement of a file, or all of a file as `aicx memory list` has records."""
    if not json:
        for entry in entries:
            print_entry(entry)
    elif len(entries) == 1:
        console.out_answer(ENTRY_SCHEMA, EntryAnswer(entries[0], []))
    else:
        pages = Pagination(len(entries), 0, len(entries), has_more=False)
        console.out_answer(LIST_SCHEMA, ListAnswer(entries, pages, {}, repository))
