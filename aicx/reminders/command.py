"""After a failed command: what ended the same failure in an earlier session."""

from __future__ import annotations

from aicx.reminders.index import Fix, Index
from aicx.reminders.matching import holds, normal


def find_fix(index: Index, session: str, output: str) -> Fix | None:
    """The failure that an output reports and that another session saw end, the longest message first.

    None where the output reports none of them.
    """
    said = normal(output)
    found = [fix for fix in index.fixes(session) if holds(said, fix.needle, fix.must)]
    return max(found, key=lambda fix: (len(fix.needle), fix.at), default=None)
