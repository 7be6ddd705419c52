"""`aicx failures`: what failed in stored sessions, and what resolved it. One module an action."""

from __future__ import annotations

HELP = """Show what failed before in this repository, and what resolved it.

Every build, test, lint and install command that stored sessions ran is read for the mistakes it reported. The same
mistake is recognised wherever it comes up again, whoever ran into it. Without an action, `aicx failures` lists them.

Example: aicx failures
Example: aicx show failure:3fa91c
Example: pytest 2>&1 | aicx failures parse --command pytest --json
"""
COMMANDS = {
    "list": "aicx.commands.failures.list",
    "show": "aicx.commands.failures.show",
    "parse": "aicx.commands.failures.parse",
}
DEFAULT = "list"
