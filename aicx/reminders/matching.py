"""After a failed command: what ended the same failure in an earlier session, known by its message."""

from __future__ import annotations

import re

from aicx.reminders.index import Fix, Index

# The end of an output says what went wrong; what a megabyte begins with does not.
MAX_OUTPUT = 200_000
# A message of fewer signs, or words, comes up everywhere.
_MIN_LENGTH, _MIN_WORDS = 16, 3
_SPACE = re.compile(r"\s+")
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def normal(text: str) -> str:
    """A text as it is compared: without colours and case, one space between words, every number the same."""
    return _NUMBERS.sub("0", _SPACE.sub(" ", _COLOURS.sub("", text[-MAX_OUTPUT:]).casefold())).strip()


def needle_of(message: str) -> str | None:
    """Returns what an output has to hold; None for a message that would be found in many."""
    found = normal(message).rstrip("….")
    return found if len(found) >= _MIN_LENGTH and found.count(" ") + 1 >= _MIN_WORDS else None


def holds(output: str, needle: str, must: str) -> bool:
    """Whether a normal output reports a failure: by its message, and by the test or the file that it is about."""
    return needle in output and must in output


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
