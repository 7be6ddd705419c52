"""`aicx pack`: complete bundles under one digest."""

from __future__ import annotations

HELP = """Bundle all that is known of a task, or of a repository's sessions, under one digest that can be cited.

The bundle is stored whole as JSON; what is printed is a summary of it within a budget. `aicx pack objects get DIGEST`
opens the bundle, `aicx show --pack DIGEST` sums it up again. The same inputs at the same instant (--now) give the same
digest.

Example: aicx pack task
Example: aicx pack family --date-from 2026-03-01 --date-to 2026-03-31
Example: aicx show --pack sha256:3fa29c01
"""
COMMANDS = {
    "task": "aicx.commands.pack.actions:task",
    "family": "aicx.commands.pack.actions:family",
    "show": "aicx.commands.pack.actions:show_again",
    "objects": "aicx.commands.cas",
}
DEFAULT = None
