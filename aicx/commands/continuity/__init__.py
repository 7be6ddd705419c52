"""`aicx task note`: the notes that a session leaves to the next one, for people to edit."""

from __future__ import annotations

HELP = """Keep a short note of the work that you can edit, and that the next session reads.

There are two: one of the project, shared by all its worktrees and kept in the home, and one of this worktree, in
.aicx/continuity/active.md, which git ignores. Each has six sections: goal, confirmed working, tried and failed, not yet
tried, incomplete and next, and files, decisions and environment. Edit them as you like: `save` adds what a session says
and keeps what you wrote, changed or took out; `refresh` makes them anew from one session.

Example: aicx task note save
Example: aicx resume --note
Example: aicx task note open --scope local
Example: aicx task note refresh --log ~/.codex/sessions/2026/01/31/rollout-2026-01-31T10-00-00-ID.jsonl
"""
COMMANDS = {
    "status": "aicx.commands.continuity.reading:status",
    "save": "aicx.commands.continuity.saving:save",
    "refresh": "aicx.commands.continuity.saving:refresh",
    "load": "aicx.commands.continuity.reading:load_notes",
    "clear": "aicx.commands.continuity.saving:clear",
    "open": "aicx.commands.continuity.reading:open_notes",
}
DEFAULT = "status"
