"""What is known of a note's items beside their words: when they were said, in which lane, and what proves them.

It has no text: an item is named by a hash of its words. What a person wrote or changed has other words than aicx wrote,
and what is missing was taken out by a person.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path

import orjson

from aicx.continuity.note import Note, NoteItem
from aicx.storage.typed import from_json, to_json
from aicx.types import Lane
from aicx.values import dataclass

VERSION = 1
_MAX_REMOVED = 500
_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one item. ``stated`` says that a person wrote it; ``at`` is then when the file was saved."""

    at: datetime | None
    lane: str = "primary"
    evidence: tuple[str, ...] = ()
    stated: bool = False


@dataclass(frozen=True, slots=True)
class NoteState:
    """The items that the last writing left in a note, and those that people took out, the last one last.

    ``file`` is where the note is (`quote_path`), ``project`` what the corpus calls the repository: by these `forget`
    and `doctor` find the note of a worktree. Both are empty where they are not known.
    """

    items: Mapping[str, Known] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    file: str = ""
    project: str = ""

    def encode(self) -> bytes:
        kept = replace(self, removed=self.removed[-_MAX_REMOVED:])
        return orjson.dumps({"version": VERSION, **to_json(kept)}) + b"\n"


def decode_state(body: bytes) -> NoteState:
    """Raises ValueError, TypeError or LookupError for anything that `NoteState.encode` does not write."""
    return from_json(NoteState, orjson.loads(body))


def read_state(path: Path) -> NoteState:
    """What is known of a note; nothing where there is no file, or it is damaged: all items are then a person's."""
    try:
        body = path.read_bytes()
        return decode_state(body) if len(body) <= _MAX_BYTES else NoteState()
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return NoteState()


def with_known(note: Note, state: NoteState) -> Note:
    """``note`` with what is known of its items."""

    def known(item: NoteItem) -> NoteItem:
        found = state.items.get(item.key)
        if found is None:
            return item
        lane: Lane = "subagent" if found.lane == "subagent" else "primary"
        return replace(item, lane=lane, evidence=found.evidence, at=found.at)

    return replace(
        note,
        goal=known(note.goal) if note.goal else None,
        sections={kind: tuple(map(known, items)) for kind, items in note.sections.items()},
    )


def state_of(items: Iterable[NoteItem], stated: Iterable[str], removed: Iterable[str]) -> NoteState:
    """The state of a note with these ``items``, of which a person wrote those with the keys ``stated``."""
    own = frozenset(stated)
    found = {item.key: Known(item.at, item.lane, item.evidence, item.key in own) for item in items}
    return NoteState(found, tuple(key for key in dict.fromkeys(removed) if key not in found))


def quote_path(path: Path) -> str:
    """A path as JSON can have it, whatever bytes its names are made of."""
    from urllib.parse import quote_from_bytes  # imported here: only who writes needs it

    return quote_from_bytes(os.fsencode(path))


def unquote_path(text: str) -> Path:
    from urllib.parse import unquote_to_bytes

    return Path(os.fsdecode(unquote_to_bytes(text)))
