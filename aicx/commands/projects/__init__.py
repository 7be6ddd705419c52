"""`aicx projects`: folders and the repositories they belong to. One module for what is listed, one for decisions."""

from __future__ import annotations

HELP = """Show which repository each folder belongs to and why, and decide it by hand.

aicx learns a folder's repository from what git, the forges and the agents showed in all sessions, never from its
name alone. A decision by hand wins over everything else and is applied to all stored sessions at once.
Without an action, `aicx projects` lists the folders.

Example: aicx projects
Example: aicx projects assign ~/work/site octo/website
Example: aicx projects rename octo/site octo/website
"""
COMMANDS = {
    "list": "aicx.commands.projects.list",
    "assign": "aicx.commands.projects.deciding:assign",
    "ignore": "aicx.commands.projects.deciding:ignore",
    "reset": "aicx.commands.projects.deciding:reset",
    "merge": "aicx.commands.projects.deciding:merge",
    "rename": "aicx.commands.projects.deciding:rename",
}
DEFAULT = "list"
