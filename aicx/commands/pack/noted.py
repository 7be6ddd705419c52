"""The note of continuity as notes of a pack: neither knows of the other, and this command of both."""

from __future__ import annotations

from pathlib import Path

from aicx.api.answers.pack import PackNote
from aicx.config import Settings
from aicx.continuity.note import Kind
from aicx.continuity.reading import read_layers
from aicx.text import instant
from aicx.work.place import find_place

# What a reader of a pack can use, the most useful first. The files are in the pack as such.
_KINDS: tuple[Kind, ...] = ("result", "next", "failed", "untried", "decision", "environment", "confirmed")


def noted(settings: Settings, folder: Path) -> list[PackNote]:
    """What the note of a place says, but what came from subagents. Raises NotFound where there is no such folder."""
    sections = read_layers(settings, find_place(settings, folder)).merged.sections
    return [
        PackNote(kind, item.text, instant(item.at, "seconds") if item.at else None, list(item.evidence))
        for kind in _KINDS
        for item in sections.get(kind, ())
        if item.lane == "primary"
    ]
