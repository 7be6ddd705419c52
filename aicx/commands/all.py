"""`aicx all`: `store` for every agent."""

from aicx.commands.store import limited_to

command = limited_to((), "Store the logs of every agent; the same as `aicx store`.")
