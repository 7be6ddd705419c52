"""Facts from a report's path (organisation, repository, day, lane) and name (title, day, agent)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from aicx.values import dataclass

# 2026_0131 as workflows write it, and what people write: 2026-01-31, 2026_01_31, 20260131.
_DAY = re.compile(r"(\d{4})[_-]?(\d{2})[_-]?(\d{2})")
_STAMP = re.compile(r"(?:\d{4}[_-]?\d{2}[_-]?\d{2}|\d{6}|\d{4})(?:T|Z|[_-]+|\Z)")
_AGENTS = ("claude", "codex", "gemini", "antigravity", "copilot", "cursor", "kimi", "agy", "grok")
_SIGNED = re.compile(rf"[_-]({'|'.join(_AGENTS)})\Z", re.IGNORECASE)
_WORDS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class ReportLocation:
    """Where a report lies: what its folders say, None where they say nothing. ``lane`` is what follows the day."""

    org: str | None = None
    repo: str | None = None
    day: str | None = None
    lane: str | None = None
    bad_day: str | None = None  # a folder that looks like a day and is none


def place_of(above: Sequence[str], folders: Sequence[str]) -> ReportLocation:
    """The place that ``folders`` below the scanned one name; ``above`` are names that lead to it and count as well."""
    parts = [*above, *folders]
    bad = None
    for index, part in enumerate(parts):
        if not _DAY.fullmatch(part):
            continue
        if day := day_in(part):
            org, repo = (None, None, *parts[:index])[-2:]
            return ReportLocation(org, repo, day, "/".join(parts[index + 1 :]) or None, bad)
        bad = bad or part
    parts = [part for part in parts if not _DAY.fullmatch(part)]
    if len(parts) < 2:
        return ReportLocation(lane="/".join(parts) or None, bad_day=bad)
    return ReportLocation(parts[0], parts[1], None, "/".join(parts[2:]) or None, bad)


def names_above(parts: Sequence[str]) -> list[str]:
    """Those names of a scanned folder's own path that belong to the layout: what stands below ``artifacts``."""
    if "artifacts" not in parts:
        return []
    last = len(parts) - 1 - list(reversed(parts)).index("artifacts")
    return list(parts[last + 1 :])


def day_in(text: str) -> str | None:
    """The day that ``text`` begins with, as ISO; None when it is none."""
    match = _DAY.match(text)
    try:
        found = date(*map(int, match.groups())) if match else None
    except ValueError:
        return None
    return found.isoformat() if found and found.year > 1970 else None


def title_in(stem: str) -> str:
    """A file's name as a title: without its time stamps and the agent at its end."""
    rest = stem
    while match := _STAMP.match(rest):
        rest = rest[match.end() :]
    return " ".join(_WORDS.split(_SIGNED.sub("", rest))).strip() or stem


def agent_in(stem: str) -> str | None:
    """The agent that a file's name ends with."""
    match = _SIGNED.search(stem)
    return match[1].lower() if match else None
