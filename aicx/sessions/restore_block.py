"""The block for a session that lost its context: quoted lines, within a bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Annotated, Literal, get_args

from aicx.brief import QUOTED, fit, listed, page
from aicx.text import shorten
from aicx.values import dataclass

Part = Literal[
    "goal", "task", "done", "next", "failed", "files", "gotchas", "decisions", "preferences", "questions", "memory"
]
SCHEMA = "aicx.session_restore/1"
PARTS: tuple[Part, ...] = get_args(Part)
Because = Literal["compacted", "named", "own", "latest"]
_TITLES: dict[Part, str] = {
    "goal": "Goal",
    "task": "Open task, as stated",
    "done": "Done, as it said",
    "next": "Next, as it said",
    "failed": "Tried without success, or still failing",
    "files": "Files",
    "gotchas": "Gotchas",
    "decisions": "Decided",
    "preferences": "What the person wants, in general",
    "questions": "Asked and not answered",
    "memory": "Memory, each with its status",
}
# What goes first where there is no room. Goal and next step are what a session cannot go on without.
_LAST_TO_GO: tuple[Part, ...] = (
    "goal", "next", "task", "failed", "files", "done", "gotchas", "decisions", "memory", "preferences", "questions"
)  # fmt: skip
_NOTICE = f"aicx put this here; nobody typed it. {QUOTED} `aicx show REF` opens what is in [brackets]."
_LENGTH, _SHORTER = 400, 40  # characters of a line, and how much shorter it gets where goal and next have no room


@dataclass(frozen=True, slots=True)
class RestoredItem:
    """A line that is given back."""

    part: Annotated[
        Part,
        "`goal`, `task`, `done`, `next`, `failed`, `files`, `gotchas`, `decisions`, `preferences`, `questions` or"
        " `memory`",
        str,
    ]
    text: Annotated[str, "the statement"]
    refs: Annotated[tuple[str, ...], "references that it rests on"] = ()
    label: Annotated[
        str | None, "of a record of the memory, its status, and why where it is stale; null for others"
    ] = None


@dataclass(frozen=True, slots=True)
class RestoreAnswer:
    """The block that a session is given back after a compaction, or a new one of the session before."""

    restored: Annotated[bool, "whether there was anything to restore"] = False
    session: Annotated[str | None, "reference of the session that it is from; null where nothing of it is stored"] = (
        None
    )
    because: Annotated[
        Because | None,
        "why that one: `compacted` (its mark was pending), `named`, `own` (it asks itself), `latest` (of this"
        " repository); null for none",
        str | None,
    ] = None
    stored_to: Annotated[str | None, "when what is stored of the session ends"] = None
    context: Annotated[
        str, "the block to put into the context, with everything from logs between fences; empty for nothing"
    ] = ""
    items: Annotated[tuple[RestoredItem, ...], "the lines in the block"] = ()
    omitted: Annotated[Mapping[Part, int], "of each part, how many lines had no room"] = field(default_factory=dict)
    cleared: Annotated[int, "how many pending marks this call cleared"] = 0
    notes: tuple[str, ...] = ()


def compose(
    head: Sequence[str], items: Sequence[RestoredItem], more: str, short: Mapping[str, str], limit: int
) -> RestoreAnswer:
    """The block in at most ``limit`` characters; empty where there is nothing to say.

    ``head`` says what the session is, ``more`` where the rest is to be found, ``short`` how references are written.
    Each part keeps its first line as long as others have more. A line each of goal and next step stays, however short.
    """
    if not items:
        return RestoreAnswer()
    every = Counter(item.part for item in items)
    items = sorted(items, key=lambda item: PARTS.index(item.part))
    seen: Counter[Part] = Counter()
    worth = []
    for item in items:
        worth.append((seen[item.part] > 0, _LAST_TO_GO.index(item.part), seen[item.part]))
        seen[item.part] += 1
    stays = len({"goal", "next"} & every.keys())
    for length in range(_LENGTH, 0, -_SHORTER):

        def text_of(kept: Sequence[int], left: Sequence[int], length: int = length) -> str:
            shown = [items[number] for number in kept]
            lines = {part: [_line(item, short, length) for item in shown if item.part == part] for part in PARTS}
            omitted = Counter(items[number].part for number in left)
            gone = ", ".join(f"{part} {omitted[part]}" for part in PARTS if omitted[part])
            top = "\n".join(["# Restored context", *(shorten(line, _LENGTH) for line in head)])
            body = listed((_TITLES[part], lines[part]) for part in PARTS)
            return page([top], _NOTICE, body, f"Left out for want of room: {gone}." if gone else "", more)

        # Where its lines have to be shorter, there is no room for others.
        room = limit if length == _LENGTH else 0
        text, kept, left = fit(worth, text_of, partial(_has_room, room), always=stays)
        if kept and len(text) <= limit:
            shown = tuple(items[number] for number in kept)
            omitted = dict(Counter(items[number].part for number in reversed(left)))
            return RestoreAnswer(restored=True, context=text, items=shown, omitted=omitted)
    return RestoreAnswer(omitted=every)


def _has_room(room: int, text: str) -> bool:
    return len(text) <= room


def _line(item: RestoredItem, short: Mapping[str, str], length: int) -> str:
    label = f"({item.label}) " if item.label else ""
    refs = f" [{', '.join(short.get(ref, ref) for ref in item.refs[:2])}]" if item.refs else ""
    return f"{label}{shorten(item.text, length)}{refs}"
