"""Files and lines out of the matches of a pattern."""

from __future__ import annotations

import re

Place = tuple[str | None, int | None]

NOWHERE: Place = (None, None)


def place(match: re.Match[str] | None) -> Place:
    """The groups `file` and `line` of ``match``; nowhere without one, or where it names no file."""
    if match is None or match["file"] is None:
        return NOWHERE
    return match["file"], number(match, "line")


def number(match: re.Match[str], group: str) -> int | None:
    """The number in a group of ``match``; None where the pattern has no such group, or it matched nothing."""
    text = match[group] if group in match.re.groupindex else None
    return int(text) if text else None
