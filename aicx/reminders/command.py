"""After a failed command: what ended the same failure in an earlier session."""

from __future__ import annotations

from aicx.reminders.index import Fix, Index
from aicx.reminders.matching import holds, normal


def find_fix(index: Index, session: str, output: str, command: str | None = None) -> Fix | None:
    """The failure that an output reports and that another session saw end, the longest message first.

    With ``command`` it is not known whether that failed: the failures of its program count, since another one may only
    show what was once printed. None where the output reports none of them.
    """
    said = normal(output)
    words = None if command is None else set(command.replace("/", " ").split())
    found = [
        fix
        for fix in index.fixes(session)
        if holds(said, fix.needle, fix.must) and (words is None or words & set(fix.command.split()[:1]))
    ]
    return max(found, key=lambda fix: (len(fix.needle), fix.at), default=None)
