"""`aicx share`: an index that several machines, or a team, search together."""

from __future__ import annotations

HELP = """Search with other machines and people: a shared index, of the projects you choose.

Nothing is shared before `aicx share push --project` names a project. `aicx search --team`
asks your own corpus and the share at once.

Example: aicx share init s3://bucket/team --member ada
Example: aicx share push --project 'acme/*' --dry-run
Example: aicx search --team why did the migration fail
"""
COMMANDS = {
    "init": "aicx.commands.share.joining",
    "push": "aicx.commands.share.push",
    "build": "aicx.commands.share.build",
    "forget": "aicx.commands.share.leaving",
    "leave": "aicx.commands.share.leaving:leave",
    "status": "aicx.commands.share.status",
    "verify": "aicx.commands.share.status:verify",
}
DEFAULT = None
