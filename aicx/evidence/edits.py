"""The files a session changed, from its tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.sources.tools import changes_files

_PROSE = re.compile(r"\.(?:adoc|md|mdx|rst|txt)$", re.IGNORECASE)


class FileEdit(NamedTuple):
    """A file that was changed, ``times`` times, last ``at`` then in ``chunk``. The path is relative to the root."""

    path: str
    times: int
    at: datetime
    chunk: str


def is_prose(path: str) -> bool:
    """Whether a file is only read by people."""
    return _PROSE.search(path) is not None


def is_edit(call: Step) -> bool:
    """Whether a call changes files."""
    return changes_files(call.tool, call.text)


def edits_of(calls: Iterable[tuple[Step, Step | None]], roots: Roots, folder: str | None) -> list[FileEdit]:
    """The files inside the repository that a session changed, the last changed first. Failed edits do not count."""
    found: dict[str, FileEdit] = {}
    for call, result in calls:
        if result is not None and result.failed:
            continue
        if not is_edit(call):
            continue
        for path in call.files:
            relative = roots.relative(path, folder)
            if relative is not None:
                count = found.pop(relative).times if relative in found else 0
                found[relative] = FileEdit(relative, count + 1, call.at, call.chunk)
    return list(reversed(found.values()))
