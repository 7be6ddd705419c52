"""`aicx gemini`: `store` for Gemini CLI and Antigravity."""

from aicx.commands.store import limited_to

command = limited_to(("gemini", "gemini-antigravity"), "Store the logs of Gemini CLI and Antigravity.")
