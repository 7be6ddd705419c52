"""What a session that lost its context is given back: one block of quoted lines, within a bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Literal, NamedTuple, get_args

from aicx.quoting import QUOTED, fenced
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
_LENGTH = 400  # characters of a line
_SHORTEST = 60


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
    """What a session is given back after a compaction, or a new one of the session before."""

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


class Block(NamedTuple):
    """The block as text, the lines in it, and how many of each part had no room."""

    text: str
    items: tuple[RestoredItem, ...]
    omitted: Mapping[Part, int]


def compose(
    head: Sequence[str], items: Sequence[RestoredItem], more: str, short: Mapping[str, str], limit: int
) -> Block:
    """The block in at most ``limit`` characters; empty where there is nothing to say.

    ``head`` says what the session is, ``more`` where the rest is to be found, ``short`` how references are written.
    """
    if not items:
        return Block("", (), {})
    kept = sorted(items, key=lambda item: PARTS.index(item.part))
    omitted: Counter[Part] = Counter()
    length = _LENGTH
    while len(text := _render(head, kept, omitted, more, short, length)) > limit:
        leaving = _next_to_go(kept)
        if leaving is not None:
            kept.remove(leaving)
            omitted[leaving.part] += 1
        elif length > _SHORTEST:
            length -= 40
        else:
            return Block("", (), Counter(item.part for item in items))
    return Block(text, tuple(kept), dict(omitted))


def _next_to_go(kept: Sequence[RestoredItem]) -> RestoredItem | None:
    """The last line of the part that matters least; each part keeps its first line as long as others have more."""
    counts = Counter(item.part for item in kept)
    for least in (1, 0):
        for part in reversed(_LAST_TO_GO):
            # One line each of goal and next step stays, however short.
            if counts[part] > (least or part in ("goal", "next")):
                return next(item for item in reversed(kept) if item.part == part)
    return None


def _render(
    head: Sequence[str],
    items: Sequence[RestoredItem],
    omitted: Mapping[Part, int],
    more: str,
    short: Mapping[str, str],
    length: int,
) -> str:
    lines: list[str] = []
    for part in dict.fromkeys(item.part for item in items):
        lines += ["", f"## {_TITLES[part]}"] if lines else [f"## {_TITLES[part]}"]
        lines += (_line(item, short, length) for item in items if item.part == part)
    left = ", ".join(f"{part} {omitted[part]}" for part in PARTS if omitted.get(part))
    foot = [f"Left out for want of room: {left}.", ""] if left else []
    opening = ["# Restored context", *(shorten(line, _LENGTH) for line in head)]
    return "\n".join([*opening, "", _NOTICE, "", fenced("\n".join(lines)), "", *foot, more, ""])


def _line(item: RestoredItem, short: Mapping[str, str], length: int) -> str:
    label = f"({item.label}) " if item.label else ""
    refs = f" [{', '.join(short.get(ref, ref) for ref in item.refs[:2])}]" if item.refs else ""
    return f"- {label}{shorten(item.text, length)}{refs}"
