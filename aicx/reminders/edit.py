"""Before an edit of a file: the one accepted rule, or else the one decision, that names it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.reminders.saying import Line

if TYPE_CHECKING:
    from aicx.memory.assess import Assessment

_MAX_RECORD = 100_000
# Instructions from files are read by the agent itself.
_KINDS = ("policy", "procedure", "decision", "preference", "fact", "failure")


def rule_for(home: str, folder: str, path: str) -> Line | None:
    """The strongest accepted record that names the file ``path`` of the repository at ``folder``; None for none."""
    if not any(_naming(os.path.join(home, "memory"), path)):  # noqa: PTH118
        return None
    # Imported here: records that name the file being edited are rare, and what may be believed takes a while to derive.
    from aicx.config import load_settings
    from aicx.memory.policy_records import of_records, policy_in
    from aicx.memory.reading import Memory, find_scope

    settings = load_settings(corpus=Path(home))
    scope = find_scope(settings, Path(folder))
    policy = of_records(policy_in(settings, scope), settings, scope)
    with Memory(settings, scope, datetime.now(UTC), policy) as memory:
        found = [one for one in memory.assessed() if one.baseline and one.record.kind in _KINDS and _names(one, path)]
    best = min(found, key=lambda one: (one.tier, -one.record.created_at.timestamp()), default=None)
    if best is None:
        return None
    record = best.record
    opening = f"Accepted {record.kind} about {path}:"
    return Line("edit", "rule", f"file:{path}", record.ref, opening, [("", record.statement)], path)


def _names(assessed: Assessment, path: str) -> bool:
    """Whether a record rests on the file, or its statement names it by its path or its name."""
    record = assessed.record
    if any(anchor.path == path for anchor in record.anchors):
        return True
    words = record.statement.replace("`", " ").replace("'", " ").replace('"', " ").split()
    named = {word.strip(".,;:()[]") for word in words}
    return path in named or path.rsplit("/", 1)[-1] in named


def _naming(memory: str, path: str) -> Iterator[str]:
    """The files of the memory in which the name of a file comes up: most often none, and then nothing else is read."""
    name = os.fsencode(path.rsplit("/", 1)[-1])
    for folder, _, files in os.walk(memory):
        for file in files:
            if file.endswith((".md", ".json")):
                whole = os.path.join(folder, file)  # noqa: PTH118
                with open(whole, "rb") as stream:  # noqa: PTH123
                    if name in stream.read(_MAX_RECORD):
                        yield whole
