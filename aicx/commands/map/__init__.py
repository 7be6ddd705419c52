"""`aicx map`: which files of a repository to look at for something. One module an action."""

from __future__ import annotations

HELP = """Map a repository, so that a question leads to the files and symbols it is about.

The map knows what the files that git does not ignore define and import, and their headings. It lies below AICX_HOME;
nothing is written to the repository. Without an action, `aicx map` shows the status.

Example: aicx map refresh
Example: aicx map query "where are retries limited"
Example: aicx map status --repo ../other
"""
COMMANDS = {
    "refresh": "aicx.commands.map.refresh",
    "status": "aicx.commands.map.status",
    "query": "aicx.commands.map.query",
}
DEFAULT = "status"
