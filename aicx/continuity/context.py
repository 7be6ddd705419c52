"""What a session needs beside the notes: instruction files, agreed memory and shared guidance that fit the goal."""

from __future__ import annotations

from datetime import datetime

from aicx.api.answers.continuity import ResumeContext, TeamEntry
from aicx.config import Settings
from aicx.continuity.note import Note
from aicx.continuity.tracked import tracked_settings
from aicx.errors import AicxError
from aicx.work.place import WorkPlace

_MAX_REFS = 5


def resume_context(settings: Settings, place: WorkPlace, note: Note, now: datetime) -> tuple[ResumeContext, list[str]]:
    """The context for going on from ``note``, and what could not be looked at. Only reads."""
    from aicx.memory.sources_places import listed  # imported here: the notes alone are read without it

    tracked = tracked_settings(settings, place.root)
    files = [*(one.shown for one in listed(place.root)), *tracked.instruction_files]
    durable: list[str] = []
    team: list[TeamEntry] = []
    notes = list(tracked.warnings)
    if settings.layout.memory.is_dir():
        from aicx.memory.briefing import brief
        from aicx.memory.reading import find_scope

        try:
            found = brief(
                settings, find_scope(settings, place.root), note.goal.text if note.goal else "", now, _MAX_REFS
            )
            durable = [entry.ref for entry in found.agreed]
            team = [TeamEntry(entry.ref, entry.statement) for entry in found.guidance if entry.statement]
        except AicxError as error:
            notes.append(f"the memory was not looked at: {error.message}")
    goal = note.goal.text if note.goal else None
    steps = [item.text for item in note.sections.get("next", ())]
    return ResumeContext(goal, steps, files, durable, team), notes
