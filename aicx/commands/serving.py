"""`aicx serve`: the two servers."""

from __future__ import annotations

HELP = """Answer agents over the Model Context Protocol (MCP), or people on a page in the browser.

Without an action, `aicx serve` is `aicx serve mcp`, which clients start themselves.

Example: aicx serve mcp
Example: aicx serve page --open
"""
COMMANDS = {"mcp": "aicx.commands.serve", "page": "aicx.commands.dashboard"}
DEFAULT = "mcp"
