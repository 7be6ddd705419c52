"""`aicx memory`: what may be believed, why, and who said so."""

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
    "recall": "aicx.commands.memory.recall:recall_records",
    "put": "aicx.commands.memory.put:put",
    "edit": "aicx.commands.memory.put:edit",
    "accept": "aicx.commands.memory.decide:accept",
    "reject": "aicx.commands.memory.decide:reject",
    "supersede": "aicx.commands.memory.decide:supersede",
    "hold": "aicx.commands.memory.decide:hold",
    "release": "aicx.commands.memory.decide:release",
    "pin": "aicx.commands.memory.decide:pin",
    "unpin": "aicx.commands.memory.decide:unpin",
    "archive": "aicx.commands.memory.decide:archive",
    "restore": "aicx.commands.memory.decide:restore",
    "validate": "aicx.commands.memory.decide:validate",
    "delete": "aicx.commands.memory.decide:delete_one",
    "seal": "aicx.commands.memory.decide:seal_decisions",
    "verify": "aicx.commands.memory.check:verify_decisions",
    "history": "aicx.commands.memory.reading:history",
    "stats": "aicx.commands.memory.reading:stats",
    "sources": "aicx.commands.memory.recall:show_sources",
    "candidates": "aicx.commands.memory.review:list",
    "decide": "aicx.commands.memory.decide",
    "check": "aicx.commands.memory.check",
    "backfill": "aicx.commands.memory.candidates:backfill",
    "lint": "aicx.commands.memory.check:lint_records",
    "curate": "aicx.commands.memory.check:curate",
    "eval": "aicx.commands.memory.check:evaluate",
    "audit": "aicx.commands.memory.check:audit_texts",
}
DEFAULT = "list"
