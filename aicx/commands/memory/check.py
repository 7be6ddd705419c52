"""`aicx memory check`: whether what is remembered still holds together."""

from __future__ import annotations

HELP = """Check what is remembered: records that contradict or repeat each other, seals, and answers that were used.

Example: aicx memory check lint
Example: aicx memory check curate
"""
COMMANDS = {
    "lint": "aicx.commands.memory.lint",
    "curate": "aicx.commands.memory.curate",
    "eval": "aicx.commands.memory.judged:evaluate",
    "audit": "aicx.commands.memory.judged:audit_texts",
    "verify": "aicx.commands.memory.verify",
}
DEFAULT = "lint"
