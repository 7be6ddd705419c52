"""`aicx memory candidates`, its steps: what continuity suggests to keep, and the steps a person takes with it."""

from __future__ import annotations

HELP = """Decide what is kept of the work: suggestions become candidates, and a person takes each on.

`build` makes candidates of what the continuity note, or one session, suggests. What reads like a fact goes through
approve and promote into the memory, as with `aicx memory accept`. What reads like an instruction becomes a patch for
CLAUDE.md, AGENTS.md or GEMINI.md that you apply yourself; aicx never edits these files. What only a subagent said
needs a person to adopt it first. The queue is the one of the dashboard's page Memory.

Example: aicx memory candidates build
Example: aicx memory candidates queue
Example: aicx memory candidates approve mem:3fa29c01 --by "Ada Lovelace"
Example: aicx memory candidates promote mem:3fa29c01 --by "Ada Lovelace"
"""
COMMANDS = {
    "list": "aicx.commands.memory.candidates",
    "backfill": "aicx.commands.memory.backfill",
    "queue": "aicx.commands.review.candidates",
    "build": "aicx.commands.review.build",
    "candidates": "aicx.commands.review.candidates",
    "show": "aicx.commands.review.candidates:show",
    "adopt": "aicx.commands.review.steps:adopt",
    "approve": "aicx.commands.review.steps:approve",
    "reject": "aicx.commands.review.steps:reject",
    "promote": "aicx.commands.review.steps:promote",
    "apply-prep": "aicx.commands.review.steps:prepare_patch",
    "verify-apply": "aicx.commands.review.steps:verify_patch",
}
DEFAULT = "candidates"
