"""`aicx memory decide`: what a person decides of a record, beside accepting and rejecting it."""

from __future__ import annotations

HELP = """Decide of a record: how long it counts, where it comes first, and whether it stays.

Example: aicx memory decide hold mem:3fa29c01 --why "to be looked at"
Example: aicx memory decide pin export-check --by "Ada Lovelace"
"""
COMMANDS = {
    "hold": "aicx.commands.memory.decisions:hold",
    "release": "aicx.commands.memory.decisions:release",
    "pin": "aicx.commands.memory.decisions:pin",
    "unpin": "aicx.commands.memory.decisions:unpin",
    "archive": "aicx.commands.memory.decisions:archive",
    "restore": "aicx.commands.memory.decisions:restore",
    "validate": "aicx.commands.memory.decisions:validate",
    "seal": "aicx.commands.memory.seal",
    "delete": "aicx.commands.memory.delete",
}
DEFAULT = None
