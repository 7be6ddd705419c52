"""Reads a note that is as aicx wrote it, line by line: a parser of Markdown takes longer to load than all the rest."""

from __future__ import annotations

from collections.abc import Collection

from aicx.continuity.layout import (
    HEADINGS,
    LABELS,
    MAX_BYTES,
    PLACEHOLDER,
    TITLES,
    Broken,
    fields_of,
    front_matter_of,
    unescaped,
    updated_of,
)
from aicx.continuity.note import KINDS, STATUSES, Kind, Layer, Note, NoteItem

_BULLET, _INDENT = "- ", "  "


def read_as_written(body: bytes, layer: Layer, known: Collection[str]) -> Note | None:
    """The note in ``body``; None where a line, or an item whose key is not ``known``, is not as aicx writes it.

    The keys are hashes of the items' words, so that what is read here is what was written.
    """
    if len(body) > MAX_BYTES:
        return None
    try:
        front, text = front_matter_of(body.decode("utf-8"))
        fields, unknown = fields_of(front)
        updated = updated_of(fields.get("updated"))
    except (UnicodeDecodeError, Broken):
        return None
    found = _items(text, layer)
    if unknown or found is None or any(item.key not in known for item in found):
        return None
    return Note(
        goal=next((item for item in found if item.kind == "goal"), None),
        sections={kind: items for kind in KINDS if (items := tuple(item for item in found if item.kind == kind))},
        updated_at=updated,
        status=next(status for status in STATUSES if status == fields.get("status", "active")),
        source=fields.get("session", ""),
    )


def _items(text: str, layer: Layer) -> list[NoteItem] | None:
    """The goal and the items of the sections; None where a line is none that aicx writes."""
    parts: list[tuple[tuple[Kind, ...], list[str]]] = []
    kinds: tuple[Kind, ...] | None = None
    seen: set[str] = set()
    blank = 0
    for line in text.split("\n"):
        heading = line.removeprefix("## ")
        if not line:
            blank += 1
            continue
        if heading in HEADINGS and heading != line and heading not in seen:
            seen.add(heading)
            kinds = HEADINGS[heading]
            if not kinds:
                parts.append((kinds, []))
        elif kinds is None:
            if line != f"# {TITLES[layer]}" or seen:
                return None
        elif line == PLACEHOLDER:
            pass
        elif not kinds:
            parts[-1][1].extend([""] * (blank if parts[-1][1] else 0) + [line])
        elif line.startswith(_BULLET):
            parts.append((kinds, [line[len(_BULLET) :]]))
        elif line.startswith(_INDENT) and parts and parts[-1][0] == kinds:
            parts[-1][1].extend([""] * blank + [line[len(_INDENT) :]])
        else:
            return None
        blank = 0
    return [_item(kinds, "\n".join(lines), layer) for kinds, lines in parts if lines]


def _item(kinds: tuple[Kind, ...], text: str, layer: Layer) -> NoteItem:
    if not kinds:
        return NoteItem(unescaped(text), "goal", layer)
    label, colon, rest = text.partition(": ")
    if len(kinds) > 1 and colon and label in LABELS:
        return NoteItem(unescaped(rest), LABELS[label], layer)
    return NoteItem(unescaped(text), kinds[-1], layer)
