"""Whether the output of a command reports a failure that was seen before: by its message, whatever its numbers are."""

from __future__ import annotations

import re

# The end of an output says what went wrong; what a megabyte begins with does not.
MAX_OUTPUT = 200_000
# A message of fewer signs, or words, comes up everywhere.
_LEAST, _LEAST_WORDS = 16, 3
_SPACE = re.compile(r"\s+")
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def normal(text: str) -> str:
    """A text as it is compared: without colours and case, one space between words, every number the same."""
    return _NUMBERS.sub("0", _SPACE.sub(" ", _COLOURS.sub("", text[-MAX_OUTPUT:]).casefold())).strip()


def needle_of(message: str) -> str | None:
    """What an output has to hold; None for a message that would be found in many."""
    found = normal(message).rstrip("….")
    return found if len(found) >= _LEAST and found.count(" ") + 1 >= _LEAST_WORDS else None


def holds(output: str, needle: str, must: str) -> bool:
    """Whether a normal output reports a failure: by its message, and by the test or the file that it is about."""
    return needle in output and must in output
