"""`aicx map`: the map of a repository, for finding files and symbols."""

from __future__ import annotations

HELP = """Map a repository: which files define, import and describe the things a question is about.

The map holds the definitions, imports and headings of all files that git does not ignore. It is stored below
AICX_HOME; nothing is written to the repository. Without an action, `aicx map` shows the status.

Example: aicx map refresh
Example: aicx search --in map "where are retries limited"
Example: aicx map status --repo ../other
"""
COMMANDS = {
    "refresh": "aicx.commands.map.actions:refresh",
    "status": "aicx.commands.map.actions:show_status",
    "query": "aicx.commands.map.actions:query_map",
}
DEFAULT = "status"
