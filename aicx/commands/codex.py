"""`aicx codex`: `store` for Codex."""

from aicx.commands.store import limited_to

command = limited_to(("codex",), "Store the logs of Codex.")
