"""`aicx memory`: what may be believed, why, and who said so. One module an action or a few that are alike."""

from __future__ import annotations

HELP = """Keep what is worth believing: rules, decisions, facts, procedures, preferences, failures.

Whatever is stated is a candidate. It becomes agreed when a person accepts it by name, and by nothing else. What may be
believed is worked out anew at every reading: a record whose file changed is stale, one with a successor superseded.
Without an action, `aicx memory` lists the records of this repository.

Example: aicx memory put "Exports need an authorisation check" --kind policy --topic exports
Example: aicx memory accept mem:3fa29c01 --by "Ada Lovelace"
Example: aicx memory list
Example: aicx search --in memory how are exports authorised
"""
COMMANDS = {
    "list": "aicx.commands.memory.reading:list_records",
    "get": "aicx.commands.memory.reading:get",
    "recall": "aicx.commands.memory.recall",
    "put": "aicx.commands.memory.put",
    "edit": "aicx.commands.memory.edit",
    "accept": "aicx.commands.memory.decisions:accept",
    "reject": "aicx.commands.memory.decisions:reject",
    "supersede": "aicx.commands.memory.decisions:supersede",
    "hold": "aicx.commands.memory.decisions:hold",
    "release": "aicx.commands.memory.decisions:release",
    "pin": "aicx.commands.memory.decisions:pin",
    "unpin": "aicx.commands.memory.decisions:unpin",
    "archive": "aicx.commands.memory.decisions:archive",
    "restore": "aicx.commands.memory.decisions:restore",
    "validate": "aicx.commands.memory.decisions:validate",
    "delete": "aicx.commands.memory.delete",
    "seal": "aicx.commands.memory.seal",
    "verify": "aicx.commands.memory.verify",
    "history": "aicx.commands.memory.reading:history",
    "stats": "aicx.commands.memory.reading:stats",
    "sources": "aicx.commands.memory.sources",
    "candidates": "aicx.commands.review:list",
    "decide": "aicx.commands.memory.decide",
    "check": "aicx.commands.memory.check",
    "backfill": "aicx.commands.memory.backfill",
    "lint": "aicx.commands.memory.lint",
    "curate": "aicx.commands.memory.curate",
    "eval": "aicx.commands.memory.judged:evaluate",
    "audit": "aicx.commands.memory.judged:audit_texts",
}
DEFAULT = "list"
