"""What a session that lost its context is given back: one block of quoted lines, within a bound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal, NamedTuple, get_args

from aicx.quoting import QUOTED, fenced
from aicx.text import shorten
from aicx.values import dataclass

Part = Literal[
    "goal", "task", "done", "next", "failed", "files", "gotchas", "decisions", "preferences", "questions", "memory"
]
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


class Item(NamedTuple):
    """A line of the block. ``label`` is the status of a record of the memory, None for what a log says."""

    part: Part
    text: str
    refs: tuple[str, ...] = ()
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Restored:
    """What was given back. ``text`` is the block, empty where there is nothing to restore.

    ``because`` says why it is of this ``session``: its mark was pending, it was named, it asks itself, or it is the
    latest one here. ``cleared`` is how many marks this restore cleared. ``stored_to`` is when what is stored of the
    session ends, an ISO instant.
    """

    text: str = ""
    session: str | None = None
    because: Because | None = None
    items: tuple[Item, ...] = ()
    omitted: Mapping[Part, int] = field(default_factory=dict)
    cleared: int = 0
    stored_to: str | None = None
    notes: tuple[str, ...] = ()


class Block(NamedTuple):
    """The block as text, the lines in it, and how many of each part had no room."""

    text: str
    items: tuple[Item, ...]
    omitted: Mapping[Part, int]


def compose(head: Sequence[str], items: Sequence[Item], more: str, short: Mapping[str, str], limit: int) -> Block:
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


def _next_to_go(kept: Sequence[Item]) -> Item | None:
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
    items: Sequence[Item],
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


def _line(item: Item, short: Mapping[str, str], length: int) -> str:
    label = f"({item.label}) " if item.label else ""
    refs = f" [{', '.join(short.get(ref, ref) for ref in item.refs[:2])}]" if item.refs else ""
    return f"- {label}{shorten(item.text, length)}{refs}"
