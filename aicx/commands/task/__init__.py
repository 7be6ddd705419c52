"""`aicx task`: what is being worked on in a repository."""

from __future__ import annotations

HELP = """Keep the state of your work: the goal, what was tried and proved, and what comes next.

A task is kept outside the repository, and the next session, of whatever agent, finds it with `aicx task status`, or
`aicx resume --next` for a line. It remembers the branch it was left on: elsewhere it is listed, but not used, until
that branch is merged. Several tasks may be open, and sessions that run at once do not overwrite each other. Without a
task, the latest session that was left open is shown in its place, and labelled as derived.

A task is named by its id, the beginning of it, or its title (fix-the-export). Where no task is named, the one that was
last begun or resumed in this folder is meant.

Example: aicx task start "Fix the export of empty files"
Example: aicx task update --verified "pytest tests/export passes" --next "Write the changelog"
Example: aicx task status
Example: aicx task close --status resolved
"""
COMMANDS = {
    "status": "aicx.commands.task.showing:status",
    "start": "aicx.commands.task.changing:start",
    "update": "aicx.commands.task.changing:update",
    "list": "aicx.commands.task.showing:list_open",
    "show": "aicx.commands.task.showing:show",
    "resume": "aicx.commands.task.changing:resume",
    "handoffs": "aicx.commands.task.showing:list_handoffs",
    "areas": "aicx.commands.task.showing:list_areas",
    "close": "aicx.commands.task.changing:close",
    "note": "aicx.commands.continuity",
}
DEFAULT = "status"
