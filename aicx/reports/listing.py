"""Finds the files of reports below a folder, grouped by stem: by listing alone, following no link.

A report's path gives its organisation, repository, day and lane, and its name the title, day and agent.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import date
from pathlib import Path
from typing import Literal

from aicx.sources.items import BadRecord
from aicx.values import dataclass

Part = Literal["report", "meta", "transcript", "last_message"]

# Ending -> what the file is, the longest first: a stem ends where its ending begins.
ENDINGS: tuple[tuple[str, Part], ...] = (
    (".transcript.last-message.md", "last_message"),
    (".transcript.jsonl", "transcript"),
    (".transcript.json", "transcript"),
    (".transcript.log", "transcript"),
    (".transcript.txt", "transcript"),
    (".transcript.md", "transcript"),
    (".last-message.md", "last_message"),
    (".transcript", "transcript"),
    (".meta.json", "meta"),
    (".jsonl", "transcript"),
    (".log", "transcript"),
    (".md", "report"),
)
# 2026_0131 as workflows write it, and what people write: 2026-01-31, 2026_01_31, 20260131.
_DAY = re.compile(r"(\d{4})[_-]?(\d{2})[_-]?(\d{2})")
_STAMP = re.compile(r"(?:\d{4}[_-]?\d{2}[_-]?\d{2}|\d{6}|\d{4})(?:T|Z|[_-]+|\Z)")
_AGENTS = ("claude", "codex", "gemini", "antigravity", "copilot", "cursor", "kimi", "agy", "grok")
_SIGNED = re.compile(rf"[_-]({'|'.join(_AGENTS)})\Z", re.IGNORECASE)
_WORDS = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """The files of one report, and what its folders say of it. ``key`` are the names that make it this report alone.

    ``day`` is what a folder names, or the file; ``lane`` is what follows the folder of the day.
    """

    folder: Path
    stem: str
    key: tuple[str, ...]
    org: str | None
    repo: str | None
    day: str | None
    lane: str | None
    files: dict[Part, str]

    def path(self, part: Part) -> Path:
        return self.folder / self.files[part]


@dataclass(slots=True)
class ReportListing:
    """The content of a folder: entries, newest day first; what could not be listed; what was passed over, and why."""

    entries: list[ReportEntry] = field(default_factory=list)
    problems: list[BadRecord] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)


def list_reports(folder: Path) -> ReportListing:
    """Every report below ``folder``, which is resolved. Raises OSError when the folder itself cannot be listed."""
    found = ReportListing()
    above = names_above(folder.parts)
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        folders = waiting.pop()
        here = folder.joinpath(*folders)
        try:
            listed = sorted(os.scandir(here), key=lambda item: item.name)
        except OSError as error:
            if not folders:
                raise
            found.problems.append(BadRecord(str(here), f"cannot be listed: {error.strerror or error}"))
            continue
        names = []
        for item in listed:
            if item.name.startswith("."):
                found.skipped["hidden"] += 1
            elif item.is_symlink():
                _pass_over_link(item, folder, found)
            elif item.is_dir(follow_symlinks=False):
                waiting.append((*folders, item.name))
            elif item.is_file(follow_symlinks=False):
                names.append(item.name)
            else:
                found.problems.append(BadRecord(item.path, "is not a regular file"))
        found.entries += _group(here, above, folders, names, found)
    found.entries.sort(key=lambda entry: (entry.day or "", entry.stem, entry.key), reverse=True)
    return found


def _pass_over_link(item: os.DirEntry[str], folder: Path, found: ReportListing) -> None:
    """A link is never followed; one that leaves the folder is named, since somebody may miss what it leads to."""
    found.skipped["link"] += 1
    try:
        inside = Path(item.path).resolve(strict=True).is_relative_to(folder)
    except (OSError, RuntimeError):
        found.problems.append(BadRecord(item.path, "is a link that leads nowhere"))
        return
    if not inside:
        found.problems.append(BadRecord(item.path, "is a link that leaves the folder and was not followed"))


def _group(
    here: Path, above: list[str], folders: tuple[str, ...], names: list[str], found: ReportListing
) -> Iterator[ReportEntry]:
    stems: dict[str, dict[Part, str]] = {}
    for name in names:
        stem, part = split_name(name)
        if part is None:
            found.skipped["other file"] += 1
        elif part in (files := stems.setdefault(stem, {})):
            found.problems.append(BadRecord(str(here / name), f"is a second {_NOUNS[part]} beside {files[part]}"))
        else:
            files[part] = name
    if not stems:
        return
    org, repo, day, lane, bad_day = place_of(above, folders)
    if bad_day:
        found.problems.append(BadRecord(str(here), f"{bad_day} is named like a day and is none"))
    for stem, files in stems.items():
        yield ReportEntry(here, stem, (*above, *folders, stem), org, repo, day or day_in(stem), lane, files)


_NOUNS = {"report": "report", "meta": "sidecar", "transcript": "transcript", "last_message": "last message"}


def split_name(name: str) -> tuple[str, Part | None]:
    """A file's stem and what it is; None for a file that is no part of a report."""
    lower = name.lower()
    for ending, part in ENDINGS:
        if lower.endswith(ending) and len(name) > len(ending):
            return name[: -len(ending)], part
    return name, None


def place_of(above: Sequence[str], folders: Sequence[str]) -> tuple[str | None, ...]:
    """The organisation, repository, day and lane that ``folders`` below the scanned one name, and a bad day: a folder
    that looks like a day and is none. ``above`` are names that lead to the scanned one and count as well.
    """
    parts = [*above, *folders]
    bad = None
    for index, part in enumerate(parts):
        if not _DAY.fullmatch(part):
            continue
        if day := day_in(part):
            org, repo = (None, None, *parts[:index])[-2:]
            return org, repo, day, "/".join(parts[index + 1 :]) or None, bad
        bad = bad or part
    parts = [part for part in parts if not _DAY.fullmatch(part)]
    if len(parts) < 2:
        return None, None, None, "/".join(parts) or None, bad
    return parts[0], parts[1], None, "/".join(parts[2:]) or None, bad


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
