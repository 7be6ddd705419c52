"""What the user had forgotten and must not come back: ground truth, so it lives outside the derived catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from aicx.errors import CorpusDamaged
from aicx.paths import NON_REPOSITORY


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Forgotten sessions as (agent, id), projects, and message keys. Never a forgotten text, nor a pattern for one."""

    sessions: frozenset[tuple[str, str]] = frozenset()
    projects: frozenset[str] = frozenset()
    messages: frozenset[str] = frozenset()

    def covers(self, project: str, cwd: str | None) -> bool:
        """Whether a chunk of ``project``, worked on in ``cwd``, belongs to a forgotten project.

        Folders are among the projects, and count where nothing says any more which repository they were of.
        """
        return project in self.projects or (project == NON_REPOSITORY and cwd is not None and cwd in self.projects)


def read_tombstones(path: Path) -> Tombstones:
    """The tombstones on disk. A damaged file is an error: going on would bring forgotten things back."""
    try:
        lines = [line for line in path.read_bytes().splitlines() if line.strip()]
    except FileNotFoundError:
        return Tombstones()
    sessions: set[tuple[str, str]] = set()
    projects: set[str] = set()
    messages: set[str] = set()
    try:
        for line in lines:
            row = orjson.loads(line)
            if "session" in row:
                sessions.add((row["agent"], row["session"]))
            elif "project" in row:
                projects.add(row["project"])
            else:
                messages.update(row["messages"])
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise CorpusDamaged(
            f"{path} cannot be read, and without it forgotten sessions would come back: {error}",
            hint="mend the line, or delete the file to accept that",
        ) from error
    return Tombstones(frozenset(sessions), frozenset(projects), frozenset(messages))


def with_tombstones(path: Path, rows: list[dict[str, Any]]) -> bytes:
    """The file as it has to be once ``rows`` are among the tombstones."""
    before = path.read_bytes() if path.exists() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    return before + b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
