"""`aicx claude`: `store` for Claude Code."""

from aicx.commands.store import limited_to

command = limited_to(("claude",), "Store the logs of Claude Code.")
