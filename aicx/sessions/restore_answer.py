"""The answer of a restore, made from what was given back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from aicx.fields import taken_from
from aicx.sessions.restore_block import Restored
from aicx.values import dataclass

SCHEMA = "aicx.session_restore/1"


@dataclass(frozen=True, slots=True)
class RestoredItem:
    """A line that is given back."""

    part: Annotated[
        str,
        "`goal`, `task`, `done`, `next`, `failed`, `files`, `gotchas`, `decisions`, `preferences`, `questions` or"
        " `memory`",
    ]
    text: Annotated[str, "the statement"]
    refs: Annotated[list[str], "references that it rests on"]
    label: Annotated[str | None, "of a record of the memory, its status, and why where it is stale; null for others"]


@dataclass(frozen=True, slots=True)
class RestoreAnswer:
    """What a session is given back after a compaction, or a new one of the session before."""

    restored: Annotated[bool, "whether there was anything to restore"]
    session: Annotated[str | None, "reference of the session that it is from; null where nothing of it is stored"]
    because: Annotated[
        str | None,
        "why that one: `compacted` (its mark was pending), `named`, `own` (it asks itself), `latest` (of this"
        " repository); null for none",
    ]
    stored_to: Annotated[str | None, "when what is stored of the session ends"]
    context: Annotated[
        str, "the block to put into the context, with everything from logs between fences; empty for nothing"
    ]
    items: Annotated[list[RestoredItem], "the lines in the block"]
    omitted: Annotated[Mapping[str, int], "of each part, how many lines had no room"]
    cleared: Annotated[int, "how many pending marks this call cleared"]
    notes: list[str]


def restored_answer(found: Restored) -> RestoreAnswer:
    items = [taken_from(item, RestoredItem) for item in found.items]
    return taken_from(found, RestoreAnswer, restored=bool(found.text), context=found.text, items=items)
